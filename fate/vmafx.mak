# The scores are the same bits on every processor, so the references are compared as text, and the targets
# fate-vmafx-cuda and fate-vmafx-hip, outside the default run, have to meet those of the CPU.
VMAFX_BACKEND = cpu

# $(1): size, $(2): pixel format, $(3): options
VMAFX_PAIR = sws_flags=+accurate_rnd+bitexact;testsrc2=s=$(1):d=0.2,format=$(2),split[r][s];[s]avgblur=2[d];[d][r]vmafx=backend=$(VMAFX_BACKEND):$(3)
VMAFX_METADATA = ffmpeg -filter_complex "$(call VMAFX_PAIR,$(1),$(2),$(3)),metadata=print:file=-" -f null /dev/null

FATE_VMAFX-yes += fate-filter-vmafx-ssimulacra2-yuv420p fate-filter-vmafx-ssimulacra2-yuv422p10 \
                  fate-filter-vmafx-ssimulacra2-yuv444p12 fate-filter-vmafx-ssimulacra2-gray    \
                  fate-filter-vmafx-ssimulacra2-gbrp fate-filter-vmafx-ssimulacra2-odd
fate-filter-vmafx-ssimulacra2-yuv420p:   CMD = $(call VMAFX_METADATA,70x54,yuv420p,metrics=ssimulacra2)
fate-filter-vmafx-ssimulacra2-yuv422p10: CMD = $(call VMAFX_METADATA,70x54,yuv422p10,metrics=ssimulacra2)
fate-filter-vmafx-ssimulacra2-yuv444p12: CMD = $(call VMAFX_METADATA,70x54,yuv444p12,metrics=ssimulacra2)
fate-filter-vmafx-ssimulacra2-gray:      CMD = $(call VMAFX_METADATA,70x54,gray,metrics=ssimulacra2)
fate-filter-vmafx-ssimulacra2-gbrp:      CMD = $(call VMAFX_METADATA,70x54,gbrp,metrics=ssimulacra2)
fate-filter-vmafx-ssimulacra2-odd:       CMD = $(call VMAFX_METADATA,101x67,yuv420p,metrics=ssimulacra2)

FATE_VMAFX-yes += fate-filter-vmafx-ssimulacra2-recursive-yuv420p fate-filter-vmafx-ssimulacra2-recursive-yuv444p10
fate-filter-vmafx-ssimulacra2-recursive-yuv420p:   CMD = $(call VMAFX_METADATA,70x54,yuv420p,metrics=ssimulacra2:ssimulacra2_profile=recursive)
fate-filter-vmafx-ssimulacra2-recursive-yuv444p10: CMD = $(call VMAFX_METADATA,70x54,yuv444p10,metrics=ssimulacra2:ssimulacra2_profile=recursive)

FATE_VMAFX-yes += fate-filter-vmafx-float_psnr-yuv420p fate-filter-vmafx-psnr-yuv420p fate-filter-vmafx-psnr-yuv422p10
fate-filter-vmafx-float_psnr-yuv420p: CMD = $(call VMAFX_METADATA,70x54,yuv420p,metrics=float_psnr)
fate-filter-vmafx-psnr-yuv420p:       CMD = $(call VMAFX_METADATA,70x54,yuv420p,metrics=psnr:psnr_mse=1)
fate-filter-vmafx-psnr-yuv422p10:     CMD = $(call VMAFX_METADATA,70x54,yuv422p10,metrics=psnr)

FATE_VMAFX-yes += fate-filter-vmafx-vif-yuv420p fate-filter-vmafx-vif-yuv422p10 fate-filter-vmafx-vif-odd
fate-filter-vmafx-vif-yuv420p:   CMD = $(call VMAFX_METADATA,70x54,yuv420p,metrics=vif:vif_debug=1)
fate-filter-vmafx-vif-yuv422p10: CMD = $(call VMAFX_METADATA,70x54,yuv422p10,metrics=vif)
fate-filter-vmafx-vif-odd:       CMD = $(call VMAFX_METADATA,101x67,yuv420p,metrics=vif)

FATE_VMAFX-yes += fate-filter-vmafx-csv fate-filter-vmafx-json
fate-filter-vmafx-csv:  CMD = ffmpeg -filter_complex "$(call VMAFX_PAIR,70x54,yuv420p,log_fmt=csv:log_path=-)" -f null /dev/null
# The version, the processor and the speed are not this test's matter.
fate-filter-vmafx-json: CMD = ffmpeg -filter_complex "$(call VMAFX_PAIR,70x54,yuv420p,log_path=-)" -f null /dev/null | sed -e s/\"version\":\"[^\"]*\",// -e s/\"backend\":\"[^\"]*\",// -e s/\"device\":\"[^\"]*\",// -e s/,\"fps\":[0-9.e+-]*//

# The distorted input lacks a frame and has a coarse time base.
FATE_VMAFX-yes += fate-filter-vmafx-pairing
fate-filter-vmafx-pairing: CMD = ffmpeg -filter_complex "testsrc2=s=70x54:r=30000/1001:d=0.4,format=yuv420p,split[r][s];[s]settb=1/1000,select=not(eq(n\,5))[d];[d][r]vmafx=backend=$(VMAFX_BACKEND):metrics=psnr:log_fmt=csv:log_path=-" -f null /dev/null

# Both inputs change their size twice: the graph is rebuilt and the measurement goes on. The parts are longer than what
# ffmpeg reads of one input before the other's first frame comes.
VMAFX_CHANGE = tests/data/vmafx-change-00.pgm
$(VMAFX_CHANGE): TAG = GEN
$(VMAFX_CHANGE): ffmpeg$(PROGSSUF)$(EXESUF) | tests/data
	$(M)for part in 00:64x48 20:96x64 40:64x48; do \
	    $(TARGET_EXEC) $(TARGET_PATH)/$< -nostdin -v error -y -filter_complex "testsrc2=s=$${part#*:}:d=0.8,format=gray" \
	        -start_number $${part%:*} $(TARGET_PATH)/tests/data/vmafx-change-%02d.pgm || exit 1; \
	done
VMAFX_CHANGE_INPUT = -f image2 -i $(TARGET_PATH)/tests/data/vmafx-change-%02d.pgm

# ffmpeg scales the output of a rebuilt graph to the size that it had before.
FATE_VMAFX-$(call ALLYES, SCALE_FILTER PGM_ENCODER IMAGE2_MUXER IMAGE2_DEMUXER PGM_DECODER) += fate-filter-vmafx-change
fate-filter-vmafx-change: $(VMAFX_CHANGE)
fate-filter-vmafx-change: CMD = ffmpeg $(VMAFX_CHANGE_INPUT) $(VMAFX_CHANGE_INPUT) -filter_complex "[0:v]avgblur=2[d];[d][1:v]vmafx=backend=$(VMAFX_BACKEND):metrics=ssimulacra2+psnr:log_fmt=csv:log_path=-" -f null /dev/null

FATE_VMAFX_ALL-$(call ALLYES, VMAFX_FILTER TESTSRC2_FILTER SPLIT_FILTER AVGBLUR_FILTER FORMAT_FILTER METADATA_FILTER \
                              SELECT_FILTER SETTB_FILTER WRAPPED_AVFRAME_ENCODER NULL_MUXER PIPE_PROTOCOL) = $(FATE_VMAFX-yes)

FATE_FFMPEG += $(FATE_VMAFX_ALL-yes)
fate-vmafx: $(FATE_VMAFX_ALL-yes)
fate-vmafx-cuda fate-vmafx-hip: fate-vmafx-%:
	$(MAKE) fate-vmafx VMAFX_BACKEND=$*
