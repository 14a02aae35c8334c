#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Plants a mistake in a copy of a file of the library: plant.py FAULT INPUT OUTPUT.

The parity comparison must notice each of those in kernels, a test of the HIP backend each of those in host code. Fails
when the text that a fault replaces is not there as often as it should be, so that a fault cannot quietly become none.
"""
import pathlib
import sys

# The header with the mistake comes first; then the metric's kernels, whose include of the right one finds its guard
# set.
SSIMULACRA2 = ('#endif  // VMAFX_METRICS_SSIMULACRA2_RECURSIVE_KERNEL_SUMS_H_',
               '#endif\n#include "core/metrics/ssimulacra2/kernels.h"', 1)
WRONG_PLANS = ('plans[i] = ordered_sum::PlanOf(before, chunk);',
               '''const int16_t right = ordered_sum::PlanOf(before, chunk);
    plans[i] = right < ordered_sum::kMaxBinade && right != ordered_sum::kOneByOne ? right + 1 : right;''', 1)

FAULTS = {
    # Blocks of squares added in binary32.
    'fp32_block_sums': [(
        'const uint64_t sum = psnr::RowSum(arguments.reference, arguments.distorted, row, square);',
        '''float part = 0;
  for (int x = GroupLane(); x < arguments.reference.width; x += kGroup)
    part += static_cast<float>(square(Sample(arguments.reference, x, row), Sample(arguments.distorted, x, row)));
  const uint64_t sum = static_cast<uint64_t>(GroupSum(part));''', 1)],
    # Logarithms from the processor's own function instead of the host's table.
    'device_log2': [(
        'return LogEntry(words[i / 32], static_cast<int>(i % 32));',
        'return static_cast<uint32_t>(std::log2(32768.0 + static_cast<double>(i)) * 2048 + 0.5);', 1)],
    # The reference's pitch for the distorted picture, too.
    'one_pitch': [(
        'distorted + static_cast<uint64_t>(y * a.distorted.stride)',
        'distorted + static_cast<uint64_t>(y * a.reference.stride)', 3)],
    # Not the sequential loop's sum but one that a tree of additions gives.
    'tree_sum': [SSIMULACRA2, (
        '*Memory<double>(own.result) = sum;',
        '''{
    sum = 0.0;
    for (int i = 0; i < plane.chunks; ++i)
      sum += Memory<const double>(arguments.terms.chunk_sums)[own.first_chunk + i];
    *Memory<double>(own.result) = sum;
  }''', 1)],
    # Plans of the next binade. Not a mistake: it may cost time only.
    'wrong_plans': [SSIMULACRA2, WRONG_PLANS],
    # The same, and the walk does not check them.
    'plan_trusted': [SSIMULACRA2, WRONG_PLANS, (
        'else if (plan == binade && binade != ordered_sum::kOneByOne)', 'else if (plan != ordered_sum::kOneByOne)', 1)],
    # Chunks whose plan did not hold are left out.
    'fallback_skipped': [SSIMULACRA2, ('AddChunk(&sum, plane, own.sum, first, shared);', '', 1)],

    # hip/device.cc: a frame's kernels do not wait for its upload,
    'upload_not_awaited': [(
        'driver_.StreamWaitEvent(stream_, static_cast<const HipMark&>(mark).event(), 0)',
        '(static_cast<void>(mark), kSuccess)', 1)],
    # the host does not wait for a frame's results,
    'result_not_awaited': [('driver_.EventSynchronize(event_)', 'kSuccess', 1)],
    # a descriptor is closed that the caller closes as well,
    'descriptor_closed': [('imports_.emplace_back(*address, memory);', 'imports_.emplace_back(*address, memory);\n    close(fd);', 1)],
    # a copy of a descriptor is left open,
    'descriptor_leaked': [('handle.fd = fd;', 'handle.fd = dup(fd);', 1)],
    # what was imported is never given back,
    'import_leaked': [('(void)driver_.DestroyExternalMemory(found->second);', '', 1)],
    # every GPU is taken for one with waves of 32 threads,
    'wave_of_32': [('int wave_size() const override { return gpu_.wave_size; }',
                    'int wave_size() const override { return 32; }', 1)],
    # the code object of another architecture is loaded,
    'other_code_object': [('FindCodeObject(name, gpu_.architecture)', 'FindCodeObject(name, "gfx1100")', 1)],
    # kernels are not asked for the waves that they were compiled for,
    'wave_unchecked': [('VMAFX_RETURN_IF_ERROR(CheckWaveSize(*module, kernel_name));', '', 1)],
    # the calling thread is left with another GPU than it had,
    'gpu_not_given_back': [('if (changed_) (void)driver_.SetDevice(before_);', '', 1)],
    # memory is imported by the calling thread's GPU,
    'gpu_not_chosen': [('Status Import(int fd, uint64_t bytes, DeviceAddress* address) override {\n    VMAFX_HIP_ENTER(driver_, gpu_.index);',
                        'Status Import(int fd, uint64_t bytes, DeviceAddress* address) override {', 1)],
    # a mark is never put into its stream,
    'event_not_recorded': [('driver_.EventRecord(static_cast<HipMark&>(mark).event(), stream_)',
                            '(static_cast<void>(mark), kSuccess)', 1)],
    # the default stream is waited for instead of the producer's,
    'other_stream_awaited': [('driver_.EventRecord(produced_, static_cast<Stream>(stream))',
                              '(static_cast<void>(stream), driver_.EventRecord(produced_, nullptr))', 1)],
    # a table's copy is not waited for,
    'table_not_awaited': [('VMAFX_HIP_RETURN_IF_ERROR(driver_, driver_.StreamSynchronize(nullptr), "uploading a table");', '', 1)],
    # what ROCm 5 frees with the external memory is freed before, as in ROCm 6.
    'mapping_freed_by_all': [('if (driver_.frees_mappings) (void)driver_.Free', '(void)driver_.Free', 1)],
    # core/engine/device_imports.cc: a surface is imported whenever it comes,
    'import_not_kept': [('entries_.push_front({dmabuf.pool, dmabuf.surface, object, *found});', '', 1)],
    # another pool's surface is taken for it,
    'pools_mixed_up': [('entry.pool == dmabuf.pool && entry.surface', 'entry.surface', 1)],
    # rows are taken to lie close together.
    'imported_pitch': [('const auto offset =', 'component.stride = component.width * component.step;\n    const auto offset =', 1)],
    # core/engine/device_backend.cc: pictures are released before they are read,
    'released_early': [('outcome->status = slot.finished->Wait();\n    slot.ReleasePictures();',
                        'slot.ReleasePictures();\n    outcome->status = slot.finished->Wait();', 1)],
    # a pair in flight does not keep its surfaces.
    'import_not_held': [('return {};\n  }\n\n  void DrainLanes', 'slot.imports[side] = {};\n    return {};\n  }\n\n  void DrainLanes', 1)],
}

fault, source, output = sys.argv[1:]
text = pathlib.Path(source).read_text()
for before, after, count in FAULTS[fault]:
    if text.count(before) != count:
        sys.exit(f'{source}: expected {count} times, found {text.count(before)}: {before}')
    text = text.replace(before, after)
pathlib.Path(output).write_text(text)
