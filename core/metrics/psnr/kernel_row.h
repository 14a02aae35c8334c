// SPDX-License-Identifier: BSD-2-Clause-Patent
// The sum of squared differences along one row of two components, by a group of 32 lanes. Where the two rows lie alike in
// memory, lanes read 16 bytes at a time, four loads ahead; else sample by sample.
#ifndef VMAFX_METRICS_PSNR_KERNEL_ROW_H_
#define VMAFX_METRICS_PSNR_KERNEL_ROW_H_

#include "core/metrics/kernel_samples.h"

namespace vmafx::psnr {

// The part of a row that is read in chunks of 16 aligned bytes: `head` samples come before, samples from `tail` on after.
struct Chunks {
  uint64_t offset;  // of the first chunk, from the row's first sample
  int count;
  int head;
  int tail;
  int first_bit;  // of the first sample in the words of a chunk
};

VMAFX_FN Chunks FindChunks(uint64_t address, int width, int bytes, int step) {
  Chunks chunks;
  const int before = static_cast<int>((0 - address) & 15);
  const int head = (before + step - 1) / step;
  chunks.offset = static_cast<uint64_t>(before);
  chunks.head = head < width ? head : width;
  const int64_t inside = (static_cast<int64_t>(width) - 1) * step + bytes - before;
  chunks.count = inside > 0 ? static_cast<int>(inside / 16) : 0;
  chunks.tail = chunks.count > 0 ? chunks.head + chunks.count * (16 / step) : chunks.head;
  chunks.first_bit = 8 * (head * step - before);
  return chunks;
}

// Calls square(reference sample, distorted sample) -> uint32_t for the samples of one word pair and adds.
template <int kBytes, int kStep, class Square>
VMAFX_FN uint64_t WordSum(uint32_t a, uint32_t b, int first_bit, const KernelComponent& reference,
                          const KernelComponent& distorted, Square square) {
  constexpr uint32_t kMask = kBytes == 1 ? 0xFF : 0xFFFF;
  uint64_t sum = 0;
  VMAFX_UNROLL
  for (int i = 0; i < 4 / kStep; ++i) {
    const int bit = first_bit + 8 * kStep * i;
    sum += square((a >> bit & kMask) >> reference.shift << reference.lift,
                  (b >> bit & kMask) >> distorted.shift << distorted.lift);
  }
  return sum;
}

template <int kBytes, int kStep, class Square>
VMAFX_FN uint64_t ChunkSum(const KernelComponent& reference, const KernelComponent& distorted, uint64_t a, uint64_t b,
                           const Chunks& chunks, Square square) {
  constexpr int kAhead = 4;
  const int first_bit = kStep == kBytes ? 0 : chunks.first_bit;
  uint64_t sum = 0;
  for (int base = GroupLane(); base < chunks.count; base += kAhead * kGroup) {
    Words4 left[kAhead], right[kAhead];
    VMAFX_UNROLL
    for (int i = 0; i < kAhead; ++i) {
      const int index = base + i * kGroup;
      const uint64_t offset = chunks.offset + static_cast<uint64_t>(index) * 16;
      left[i] = right[i] = Words4{};
      if (index < chunks.count) {
        left[i] = Load(Memory<const Words4>(a + offset));
        right[i] = Load(Memory<const Words4>(b + offset));
      }
    }
    VMAFX_UNROLL
    for (int i = 0; i < kAhead; ++i) {
      VMAFX_UNROLL
      for (int j = 0; j < 4; ++j)
        sum += WordSum<kBytes, kStep>(left[i].word[j], right[i].word[j], first_bit, reference, distorted, square);
    }
  }
  return sum;
}

// The sum of row y, on every lane of the group.
template <class Square>
VMAFX_FN uint64_t RowSum(const KernelComponent& reference, const KernelComponent& distorted, int y, Square square) {
  const int width = reference.width, step = reference.step, bytes = reference.bytes;
  const uint64_t a = SampleAddress(reference, 0, y), b = SampleAddress(distorted, 0, y);
  uint64_t sum = 0;
  int head = 0, tail = 0;
  if (step == distorted.step && bytes == distorted.bytes && ((a ^ b) & 15) == 0 && (step == bytes || step == 2 * bytes)) {
    const Chunks chunks = FindChunks(a, width, bytes, step);
    head = chunks.head;
    tail = chunks.tail;
    if (bytes == 1)
      sum = step == 1 ? ChunkSum<1, 1>(reference, distorted, a, b, chunks, square)
                      : ChunkSum<1, 2>(reference, distorted, a, b, chunks, square);
    else
      sum = step == 2 ? ChunkSum<2, 2>(reference, distorted, a, b, chunks, square)
                      : ChunkSum<2, 4>(reference, distorted, a, b, chunks, square);
  }
  for (int x = GroupLane(); x < head; x += kGroup) sum += square(Sample(reference, x, y), Sample(distorted, x, y));
  for (int x = tail + GroupLane(); x < width; x += kGroup) sum += square(Sample(reference, x, y), Sample(distorted, x, y));
  return GroupSum(sum);
}

}  // namespace vmafx::psnr
#endif  // VMAFX_METRICS_PSNR_KERNEL_ROW_H_
