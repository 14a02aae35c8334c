# SPDX-License-Identifier: BSD-2-Clause-Patent
# The demo: a clip from a phone (1080p, variable frame rate) against an x264 encode of it.
demo=$build/demo
demo_package=forensics-samples-files
demo_clip=/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4

encode_demo() {
  # The encoder gets the clip's own time stamps: neither its frame rate nor its time base is made regular.
  "$build/bin/ffmpeg" -y -nostdin -i "$1" -an -fps_mode passthrough -enc_time_base demux \
    -c:v libx264 -preset medium -crf 30 "$demo/encode.mkv"
}

# show_scoring DURATION: the newest score on one line of a terminal, and what the filter says; the rest is in the log
# alone. FFmpeg's own progress would come at the end: it waits until every output, so the picture too, has begun.
show_scoring() {
  local line time=
  tee "$logs/demo-score.log" | while IFS= read -r line; do
    case $line in
      frame:*pts_time:*) time=${line##*pts_time:} ;;
      lavfi.vmafx.*)
        if [ -t 1 ]; then printf '\r  %.2f of %.2f s  %-40s' "$time" "$1" "${line#lavfi.vmafx.}"; fi
        ;;
      \[*vmafx*\ @\ *)
        if [ -t 1 ]; then printf '\r%70s\r' ''; fi
        printf '  %s\n' "${line#*] }"
        ;;
    esac
  done
  if [ -t 1 ]; then printf '\r%70s\r' ''; fi
}

score_demo() {
  local clip=$1 duration
  duration=$("$build/bin/ffprobe" -v error -select_streams v:0 -show_entries stream=duration -of csv=p=0 "$clip")
  case $duration in
    ''|*[!0-9.]*) duration=$("$build/bin/ffprobe" -v error -show_entries format=duration -of csv=p=0 "$clip") ;;
  esac
  # Relative paths in the graph: an absolute one may hold characters that the graph's syntax gives a meaning.
  cd "$demo"
  "$python" "$root/tools/demo_chart.py" --font "$ffmpeg_tree/libavutil/xga_font_data.c" --duration "$duration" \
    --options 'metrics=ssimulacra2+float_psnr+vif:log_path=scores.json' frame.ppm >graph.txt
  "$build/bin/ffmpeg" -y -nostdin -nostats -i encode.mkv -i "$clip" -i frame.ppm -/filter_complex graph.txt \
    -map '[scored]' -fps_mode passthrough -enc_time_base demux -f null - \
    -map '[picture]' -frames:v 1 -update 1 scores.png 2>&1 | show_scoring "$duration"
}

run_demo() {
  local clip=${1:-$demo_clip} stamp
  if [ ! -e "$clip" ]; then
    [ $# -eq 0 ] || die "$clip does not exist"
    die "the demo's clip is not here: this distribution has no package $demo_package. Name a clip of your own: \
tools/bootstrap demo CLIP"
  fi
  clip=$(cd "$(dirname "$clip")" && pwd)/$(basename "$clip")
  mkdir -p "$demo"
  say 'Demo'
  say "  clip: $clip"
  stamp=$(stamp_of "$(stat -c '%n %s %Y' "$clip")" "$(declare -f encode_demo)")
  if [ ! -e "$demo/encode.mkv" ] || ! is_stamped demo-encode "$stamp"; then
    drop_stamp demo-encode
    step 'encode it with x264, crf 30' demo-encode encode_demo "$clip"
    set_stamp demo-encode "$stamp"
  fi
  rm -f "$demo/scores.json" "$demo/scores.png"
  run score_demo "$clip"
  if [ "$run_status" -ne 0 ] || [ ! -s "$demo/scores.json" ] || [ ! -s "$demo/scores.png" ]; then
    tail -n 15 "$logs/demo-score.log" | sed 's/^/    /' >&2
    die "scoring failed; the whole log is $logs/demo-score.log"
  fi
  say "  scores:  $demo/scores.json"
  say "  picture: $demo/scores.png"
}
