// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores two raw files whose frames reach the filter as a hardware decoder gives them: as DRM_PRIME frames, in a small pool
// of surfaces per input, each in memory files that stand for dma-buf objects, or as VAAPI frames of stand_in_va.h. A
// DRM_PRIME surface is overwritten as soon as the filter has given it back.
//
// dmabuf_graph NAME=VALUE...
//   distorted, reference  raw files
//   format, size          pixel format and WIDTHxHEIGHT of the files' frames
//   options               of vmafx
//   crop                  LEFT:TOP:RIGHT:BOTTOM of every frame
//   memory                drm (default), vaapi, mapped: by hwmap from DRM_PRIME to VAAPI, host, or host_reference,
//                         host_distorted: ordinary frames on one side only
//   driver                manners of the VA-API driver
//   device                name of the GPU that the frames' device is said to be, and its bus: "0000:2b:00.0 pci"
//   other_device          that of the reference's, where it is another one
//   objects               1 (default) or more: so many objects per surface, a plane each
//   layers                whole (default) or separate: a layer per plane
//   modifier              of every object, 0 by default; tiled=distorted or reference: of that side alone
//   offset                bytes before the first plane
//   spoil                 object, pitch, size, unknown size or offset, ...: a descriptor that is wrong in this
//   surfaces              of each input's pool
//   fresh                 1: every frame has a surface of its own, and the pool grows
//   anonymous             1: all objects have one number, as before Linux 5.3
//   change                so many frames later, and again: another pool
//   rebuild               so many frames later, once: another graph with other pools, as ffmpeg makes it
//   filters               2: another instance of the filter measures the same frames
//
// Prints "PTS NAME VALUE" for each value of each output frame, and what was counted.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/hwcontext_vaapi.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}
#include "tests/filter/stand_in_va.h"
#include "tests/hip/stand_in_hip.h"
#include "tests/memory_file.h"
#include "tests/open_descriptors.h"

namespace {

const char* const kNames[] = {"distorted", "reference"};
std::map<std::string, std::string> arguments;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "dmabuf_graph: %s\n", what.c_str());
  std::exit(1);
}

void Check(int result, const char* what) {
  char text[AV_ERROR_MAX_STRING_SIZE];
  if (result < 0) Fail(std::string(what) + ": " + (av_strerror(result, text, sizeof text), text));
}

std::string Argument(const char* name, const char* otherwise) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? otherwise : found->second;
}

uint64_t Number(const char* name, const char* otherwise) { return std::strtoull(Argument(name, otherwise).c_str(), nullptr, 0); }

// Arguments that name devices, and the files that stand for their DRM files.
struct DeviceFile {
  const char* argument;
  const char* path;
  const char* number;
};
constexpr DeviceFile kDeviceFiles[] = {{"device", "/dev/null", "/1:3/"}, {"other_device", "/dev/zero", "/1:5/"}};

// What a raw file's frames are and how a surface holds them.
struct Layout {
  AVPixelFormat format;
  int width, height, planes, objects;
  int crop[4] = {0, 0, 0, 0};
  struct {
    int bytes, rows, object;
    size_t offset, pitch;
  } plane[4];
  size_t size[4] = {0, 0, 0, 0};  // of the objects

  Layout() {
    format = av_get_pix_fmt(Argument("format", "nv12").c_str());
    if (std::sscanf(Argument("size", "").c_str(), "%dx%d", &width, &height) != 2) Fail("size=WIDTHxHEIGHT is missing");
    std::sscanf(Argument("crop", "0:0:0:0").c_str(), "%d:%d:%d:%d", &crop[0], &crop[1], &crop[2], &crop[3]);
    const AVPixFmtDescriptor* const desc = av_pix_fmt_desc_get(format);
    planes = av_pix_fmt_count_planes(format);
    objects = std::min(static_cast<int>(Number("objects", "1")), planes);
    for (int p = 0; p < planes; ++p) {
      auto& at = plane[p];
      at.bytes = av_image_get_linesize(format, width, p);
      at.rows = p > 0 ? AV_CEIL_RSHIFT(height, desc->log2_chroma_h) : height;
      at.pitch = FFALIGN(static_cast<size_t>(at.bytes), 64) + 64 * static_cast<size_t>(p);
      at.object = std::min(p, objects - 1);
      if (size[at.object] == 0) size[at.object] = Number("offset", "0");
      at.offset = size[at.object];
      size[at.object] += at.pitch * static_cast<size_t>(at.rows);
    }
  }

  AVDRMFrameDescriptor Descriptor(const int* fds, uint64_t modifier) const {
    static const std::map<std::string, std::vector<const char*>> formats = {
        {"nv12", {"NV12", "R8  ", "GR88"}}, {"nv16", {"NV16", "R8  ", "GR88"}}, {"nv21", {"NV21", "R8  ", "RG88"}},
        {"p010le", {"P010", "R16 ", "GR32"}}, {"p012le", {"P012", "R16 ", "GR32"}}, {"p016le", {"P016", "R16 ", "GR32"}},
        {"yuv420p", {"YU12", "R8  ", "R8  ", "R8  "}}, {"yuv444p", {"YU24", "R8  ", "R8  ", "R8  "}}};
    const auto& names = formats.at(av_get_pix_fmt_name(format));
    const auto code = [&](size_t i) { return MKTAG(names[i][0], names[i][1], names[i][2], names[i][3]); };
    AVDRMFrameDescriptor desc = {};
    desc.nb_objects = objects;
    for (int i = 0; i < objects; ++i) {
      desc.objects[i].fd = fds[i];
      desc.objects[i].size = size[i];
      desc.objects[i].format_modifier = modifier;
    }
    const bool separate = Argument("layers", "whole") == "separate";
    desc.nb_layers = separate ? planes : 1;
    for (int p = 0; p < planes; ++p) {
      AVDRMLayerDescriptor& layer = desc.layers[separate ? p : 0];
      layer.format = code(separate ? static_cast<size_t>(p) + 1 : 0);
      AVDRMPlaneDescriptor& at = layer.planes[layer.nb_planes++];
      at.object_index = plane[p].object;
      at.offset = static_cast<ptrdiff_t>(plane[p].offset);
      at.pitch = static_cast<ptrdiff_t>(plane[p].pitch);
    }
    const std::string spoil = Argument("spoil", "");
    if (spoil == "object") desc.layers[0].planes[0].object_index = objects;
    if (spoil == "pitch") desc.layers[0].planes[0].pitch = plane[0].bytes - 1;
    if (spoil == "size") desc.objects[0].size -= plane[0].pitch * static_cast<size_t>(plane[0].rows);
    if (spoil == "offset") desc.layers[0].planes[0].offset = static_cast<ptrdiff_t>(size[0]);
    if (spoil == "unknown size") desc.objects[0].size = 0;
    if (spoil == "no layers") desc.nb_layers = 0;
    if (spoil == "negative layers") desc.nb_layers = -1;
    if (spoil == "many objects") desc.nb_objects = 5;
    if (spoil == "descriptor") desc.objects[0].fd = -1;
    if (spoil == "closed") desc.objects[0].fd = 1000000;
    if (spoil == "file") desc.objects[0].size += 4096;
    if (spoil == "huge") {
      desc.objects[0].size = SIZE_MAX;
      desc.layers[0].planes[1].offset = PTRDIFF_MAX;
    }
    return desc;
  }
};

std::atomic<int> given{0}, given_back{0};

class Surface {
 public:
  Surface(const Layout& layout, uint64_t modifier) : layout_(layout) {
    int fds[4] = {-1, -1, -1, -1};
    for (int i = 0; i < layout.objects; ++i) {
      if (!memory_file_make(&file_[i], layout.size[i])) Fail("memory for a surface");
      fds[i] = file_[i].fd;
    }
    descriptor_ = layout.Descriptor(fds, modifier);
  }
  ~Surface() {
    for (MemoryFile& file : file_)
      if (!memory_file_close(&file)) std::printf("a descriptor of a surface was closed\n");
  }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  bool Free() const { return !busy_; }
  uint8_t* Plane(int p) { return file_[layout_.plane[p].object].data + layout_.plane[p].offset; }
  AVBufferRef* Give() {
    busy_ = true;
    ++given;
    return av_buffer_create(reinterpret_cast<uint8_t*>(&descriptor_), sizeof descriptor_, &Surface::TakeBack, this, 0);
  }

 private:
  static void TakeBack(void* opaque, uint8_t*) {
    auto* const surface = static_cast<Surface*>(opaque);
    for (int i = 0; i < surface->layout_.objects; ++i)
      std::memset(surface->file_[i].data, 0xa5, surface->file_[i].bytes);
    ++given_back;
    surface->busy_ = false;
  }

  const Layout& layout_;
  MemoryFile file_[4] = {};
  AVDRMFrameDescriptor descriptor_ = {};
  std::atomic<bool> busy_{false};
};

// The stand-in for a VA-API driver; says what was left of it.
class Display {
 public:
  explicit Display(int drm_fd)
      : manners_(Argument("driver", "")), display_(stand_in_va_open(manners_.c_str(), drm_fd)) {}
  ~Display() { std::printf("va_objects_left %d\n", stand_in_va_close(display_)); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;
  VADisplay get() const { return display_; }

 private:
  const std::string manners_;
  const VADisplay display_;
};

// The device of an input's frames: a DRM file and, for VAAPI frames, a display on it.
struct FramesDevice {
  const int fd;
  std::unique_ptr<Display> display;

  explicit FramesDevice(const DeviceFile& file)
      : fd(Argument(file.argument, "").empty() ? -1 : open(file.path, O_RDWR | O_CLOEXEC)) {
    const std::string memory = Argument("memory", "");
    if (memory == "vaapi" || memory == "mapped") display = std::make_unique<Display>(fd);
  }
  ~FramesDevice() {
    if (fd >= 0 && close(fd) != 0) std::printf("a descriptor of a device was closed\n");
  }
  FramesDevice(const FramesDevice&) = delete;
  FramesDevice& operator=(const FramesDevice&) = delete;
};

AVBufferRef* MakeDevice(const FramesDevice& of, bool vaapi) {
  AVBufferRef* const device = av_hwdevice_ctx_alloc(vaapi ? AV_HWDEVICE_TYPE_VAAPI : AV_HWDEVICE_TYPE_DRM);
  void* const own = reinterpret_cast<AVHWDeviceContext*>(device->data)->hwctx;
  if (vaapi)
    static_cast<AVVAAPIDeviceContext*>(own)->display = of.display->get();
  else
    static_cast<AVDRMDeviceContext*>(own)->fd = of.fd;
  Check(av_hwdevice_ctx_init(device), "device");
  return device;
}

AVBufferRef* MakeFramesContext(const Layout& layout, const FramesDevice& of, bool vaapi) {
  AVBufferRef* device = MakeDevice(of, vaapi);
  AVBufferRef* const frames = av_hwframe_ctx_alloc(device);
  auto* const context = reinterpret_cast<AVHWFramesContext*>(frames->data);
  context->format = vaapi ? AV_PIX_FMT_VAAPI : AV_PIX_FMT_DRM_PRIME;
  context->sw_format = layout.format;
  context->width = layout.width;
  context->height = layout.height;
  Check(av_hwframe_ctx_init(frames), "frames context");
  av_buffer_unref(&device);
  return frames;
}

// One of the filter's inputs.
struct Input {
  const Layout& layout;
  FILE* file;
  const FramesDevice& device;
  bool drm, vaapi;  // neither: ordinary frames
  uint64_t modifier;
  AVFilterContext* source = nullptr;
  AVBufferRef* frames = nullptr;
  std::vector<std::unique_ptr<Surface>> pool, old;
  bool open = true;

  Input(const Layout& l, const FramesDevice& d, const char* name)
      : layout(l), file(std::fopen(Argument(name, "").c_str(), "rb")), device(d) {
    if (file == nullptr) Fail(std::string(name) + " cannot be read");
    const std::string memory = Argument("memory", "drm"), tiled = Argument("tiled", name);
    vaapi = memory == "vaapi";
    drm = !vaapi && memory != "host" && memory != std::string("host_") + name;
    modifier = tiled == name ? Number("modifier", "0") : 0;
    MakePool();
  }
  void MakePool() {
    for (auto& surface : pool) old.push_back(std::move(surface));
    pool.clear();
    for (uint64_t i = 0; drm && i < Number("surfaces", "12"); ++i)
      pool.push_back(std::make_unique<Surface>(layout, modifier));
    av_buffer_unref(&frames);
    if (drm || vaapi) frames = MakeFramesContext(layout, device, vaapi);
  }
  void Grow() {
    for (auto& surface : pool) old.push_back(std::move(surface));
    pool.clear();
    pool.push_back(std::make_unique<Surface>(layout, modifier));
  }
  Surface* FreeSurface() const {
    for (const auto& surface : pool)
      if (surface->Free()) return surface.get();
    return nullptr;
  }
};

struct Graph {
  AVFilterGraph* graph = nullptr;
  AVFilterContext* sink = nullptr;
  AVFilterContext* other_sink = nullptr;  // of the second filter
  AVFrame* output = av_frame_alloc();
  int frames = 0;

  // Prints what the sink has; returns what it says then: AVERROR(EAGAIN) or AVERROR_EOF.
  int Drain() {
    int result;
    while ((result = av_buffersink_get_frame(sink, output)) >= 0) {
      const AVDictionaryEntry* entry = nullptr;
      while ((entry = av_dict_iterate(output->metadata, entry)) != nullptr)
        std::printf("%" PRId64 " %s %s\n", output->pts, entry->key, entry->value);
      ++frames;
      av_frame_unref(output);
    }
    while (other_sink != nullptr && av_buffersink_get_frame(other_sink, output) >= 0) av_frame_unref(output);
    return result;
  }
};

void MakeSource(Graph& graph, Input& input, const char* name) {
  input.source = avfilter_graph_alloc_filter(graph.graph, avfilter_get_by_name("buffer"), name);
  AVBufferSrcParameters* const parameters = av_buffersrc_parameters_alloc();
  parameters->format = input.drm ? AV_PIX_FMT_DRM_PRIME : input.vaapi ? AV_PIX_FMT_VAAPI : input.layout.format;
  parameters->width = input.layout.width;
  parameters->height = input.layout.height;
  parameters->time_base = {1, 25};
  parameters->frame_rate = {25, 1};
  parameters->hw_frames_ctx = input.frames;
  Check(av_buffersrc_parameters_set(input.source, parameters), name);
  av_free(parameters);
  Check(avfilter_init_str(input.source, nullptr), name);
}

// The next frame of a file, in memory; null at its end.
AVFrame* ReadFrame(const Input& input, int64_t pts) {
  const Layout& layout = input.layout;
  AVFrame* frame = av_frame_alloc();
  frame->format = layout.format;
  frame->width = layout.width;
  frame->height = layout.height;
  Check(av_frame_get_buffer(frame, 0), "frame");
  frame->pts = pts;
  frame->crop_left = static_cast<size_t>(layout.crop[0]);
  frame->crop_top = static_cast<size_t>(layout.crop[1]);
  frame->crop_right = static_cast<size_t>(layout.crop[2]);
  frame->crop_bottom = static_cast<size_t>(layout.crop[3]);
  frame->color_range = AVCOL_RANGE_MPEG;
  frame->colorspace = AVCOL_SPC_BT709;
  for (int p = 0; p < layout.planes; ++p) {
    const auto bytes = static_cast<size_t>(layout.plane[p].bytes);
    for (int y = 0; y < layout.plane[p].rows; ++y) {
      if (std::fread(frame->data[p] + static_cast<ptrdiff_t>(y) * frame->linesize[p], 1, bytes, input.file) == bytes) continue;
      av_frame_free(&frame);
      return nullptr;
    }
  }
  return frame;
}

void PutIntoSurface(Graph& graph, Input& input, const AVFrame* samples, AVFrame* frame) {
  const Layout& layout = input.layout;
  if (Number("fresh", "0") != 0) input.Grow();
  Surface* surface = input.FreeSurface();
  for (int i = 0; surface == nullptr && i < 2000; ++i) {
    graph.Drain();
    usleep(1000);
    surface = input.FreeSurface();
  }
  if (surface == nullptr) Fail("no surface is given back");
  frame->format = AV_PIX_FMT_DRM_PRIME;
  frame->width = samples->width;
  frame->height = samples->height;
  frame->hw_frames_ctx = av_buffer_ref(input.frames);
  frame->buf[0] = surface->Give();
  frame->data[0] = frame->buf[0]->data;
  for (int p = 0; p < layout.planes; ++p)
    for (int y = 0; y < layout.plane[p].rows; ++y)
      std::memcpy(surface->Plane(p) + static_cast<size_t>(y) * layout.plane[p].pitch,
                  samples->data[p] + static_cast<ptrdiff_t>(y) * samples->linesize[p],
                  static_cast<size_t>(layout.plane[p].bytes));
}

// The next frame of an input, in the memory that was asked for; null at its end.
AVFrame* MakeFrame(Graph& graph, Input& input, int64_t pts) {
  AVFrame* samples = ReadFrame(input, pts);
  if (samples == nullptr || (!input.drm && !input.vaapi)) return samples;
  AVFrame* const frame = av_frame_alloc();
  if (input.drm) {
    PutIntoSurface(graph, input, samples, frame);
  } else {
    Check(av_hwframe_get_buffer(input.frames, frame, 0), "surface");
    Check(av_hwframe_transfer_data(frame, samples, 0), "upload");
  }
  Check(av_frame_copy_props(frame, samples), "properties");
  av_frame_free(&samples);
  return frame;
}

bool SendNext(Graph& graph, Input& input, const char* name, int64_t pts) {
  AVFrame* frame = MakeFrame(graph, input, pts);
  const bool sent = frame != nullptr;
  Check(av_buffersrc_add_frame(input.source, frame), name);
  av_frame_free(&frame);
  return sent;
}

AVFilterContext* MakeFilter(Graph& graph, const char* filter, const char* name, const std::string& options) {
  AVFilterContext* made = nullptr;
  const AVFilter* const kind = avfilter_get_by_name(filter);
  Check(avfilter_graph_create_filter(&made, kind, name, options.c_str(), nullptr, graph.graph), name);
  return made;
}

void Link(AVFilterContext* from, unsigned output, AVFilterContext* to, unsigned input) {
  Check(avfilter_link(from, output, to, input), "link");
}

// From a source of DRM_PRIME frames to the same frames as VAAPI ones.
AVFilterContext* MapToVaapi(Graph& graph, const Input& input, const std::string& name) {
  const AVFilter* const hwmap = avfilter_get_by_name("hwmap");
  AVFilterContext* const map = avfilter_graph_alloc_filter(graph.graph, hwmap, ("map " + name).c_str());
  map->hw_device_ctx = MakeDevice(input.device, true);
  Check(avfilter_init_str(map, "mode=read"), "hwmap");
  AVFilterContext* const format = MakeFilter(graph, "format", ("format " + name).c_str(), "vaapi");
  Link(input.source, 0, map, 0);
  Link(map, 0, format, 0);
  return format;
}

void MakeGraph(Graph& graph, Input (&input)[2]) {
  graph.graph = avfilter_graph_alloc();
  const bool twice = Number("filters", "1") == 2;
  AVFilterContext* const measure = MakeFilter(graph, "vmafx", "measure", Argument("options", ""));
  AVFilterContext* const second = twice ? MakeFilter(graph, "vmafx", "second", Argument("options", "")) : nullptr;
  graph.sink = MakeFilter(graph, "buffersink", "sink", "");
  for (unsigned i = 0; i < 2; ++i) {
    MakeSource(graph, input[i], kNames[i]);
    AVFilterContext* last = input[i].source;
    if (Argument("memory", "") == "mapped") last = MapToVaapi(graph, input[i], kNames[i]);
    if (twice) {
      AVFilterContext* const split = MakeFilter(graph, "split", (std::string("split ") + kNames[i]).c_str(), "");
      Link(last, 0, split, 0);
      Link(split, 1, second, i);
      last = split;
    }
    Link(last, 0, measure, i);
  }
  Link(measure, 0, graph.sink, 0);
  if (twice) Link(second, 0, graph.other_sink = MakeFilter(graph, "buffersink", "other sink", ""), 0);
  Check(avfilter_graph_config(graph.graph, nullptr), "graph");
}

// The stand-in for libamdhip64; null where it was not loaded.
const vmafx::hip::StandIn* FindStandIn() {
  void* const library = dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
  void* const state = library != nullptr ? dlsym(library, vmafx::hip::kStandInState) : nullptr;
  return state != nullptr ? &reinterpret_cast<vmafx::hip::StandInState>(state)() : nullptr;
}

struct Imports {
  int made = 0, kept = 0, most = 0;  // in all, now, at a time

  Imports() {
    const vmafx::hip::StandIn* const hip = FindStandIn();
    if (hip == nullptr) return;
    for (const auto& call : hip->calls) {
      made += call.name == "ImportExternalMemory";
      kept += (call.name == "ImportExternalMemory") - (call.name == "DestroyExternalMemory");
      most = std::max(most, kept);
    }
  }
};

int Score(const Layout& layout) {
  const FramesDevice device(kDeviceFiles[0]);
  const auto other = Argument("other_device", "").empty() ? nullptr : std::make_unique<FramesDevice>(kDeviceFiles[1]);
  Input input[2] = {{layout, device, kNames[0]}, {layout, other ? *other : device, kNames[1]}};
  Graph graph;
  MakeGraph(graph, input);

  const auto change = static_cast<int64_t>(Number("change", "0"));
  const auto rebuild = static_cast<int64_t>(Number("rebuild", "0"));
  int result = AVERROR(EAGAIN);
  for (int64_t pts = 0; input[0].open || input[1].open; ++pts) {
    const bool anew = rebuild != 0 && pts == rebuild;
    for (Input& side : input)
      if (anew || (change != 0 && pts != 0 && pts % change == 0)) side.MakePool();
    if (anew) {
      avfilter_graph_free(&graph.graph);
      std::printf("imports_left %d\n", Imports().kept);
      MakeGraph(graph, input);
    }
    for (int i = 0; i < 2; ++i)
      if (input[i].open) input[i].open = SendNext(graph, input[i], kNames[i], pts);
    result = graph.Drain();
    if (result < 0 && result != AVERROR(EAGAIN)) break;
  }
  av_frame_free(&graph.output);
  avfilter_graph_free(&graph.graph);
  for (Input& side : input) {
    av_buffer_unref(&side.frames);
    std::fclose(side.file);
  }
  std::printf("frames %d\n", graph.frames);
  std::printf("surfaces_kept %d\n", given - given_back);
  return result;
}

void PrintStandIn() {
  const vmafx::hip::StandIn* const hip = FindStandIn();
  if (hip == nullptr) return;
  const Imports imports;
  std::printf("imports %d\n", imports.made);
  std::printf("imports_at_a_time %d\n", imports.most);
  std::printf("live %d\n", hip->live);
  for (const std::string& misuse : hip->misuse) std::printf("misuse %s\n", misuse.c_str());
}

}  // namespace

// What the filter calls, in the place of the C library's. The links by which the kernel names a device's bus and place:
extern "C" ssize_t readlink(const char* path, char* target, size_t size) {
  const std::string text = path;
  for (const DeviceFile& file : kDeviceFiles) {
    const std::string device = Argument(file.argument, "");
    if (device.empty() || !text.starts_with("/sys/dev/char" + std::string(file.number))) continue;
    const size_t space = device.find(' ');
    const std::string name = text.ends_with("/subsystem") ? "../../../../bus/" + device.substr(space + 1)
                                                          : "../../../" + device.substr(0, space);
    const size_t bytes = std::min(size, name.size());
    std::memcpy(target, name.data(), bytes);
    return static_cast<ssize_t>(bytes);
  }
  return syscall(SYS_readlink, path, target, size);
}

// What tells files apart:
extern "C" int fstat64(int fd, struct stat64* info) {
  const int result = fstatat64(fd, "", info, AT_EMPTY_PATH);
  if (Argument("anonymous", "") == "1") info->st_dev = info->st_ino = 1;
  return result;
}

extern "C" int fstatfs64(int fd, struct statfs64* info) {
  const auto result = static_cast<int>(syscall(SYS_fstatfs, fd, info));
  if (Argument("anonymous", "") == "1") info->f_type = 0x09041934;
  return result;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t sign = argument.find('=');
    if (sign == std::string::npos) Fail("arguments are NAME=VALUE");
    arguments[argument.substr(0, sign)] = argument.substr(sign + 1);
  }
  const int before = vmafx::test::OpenDescriptors();
  const Layout layout;
  const int result = Score(layout);
  std::printf("descriptors_left %d\n", vmafx::test::OpenDescriptors() - before);
  PrintStandIn();
  return result == AVERROR_EOF ? 0 : 2;
}
