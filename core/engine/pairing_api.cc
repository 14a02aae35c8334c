// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C interface of a pairer.
#include "core/engine/abi.h"
#include "core/engine/pairing.h"

struct vmafx_pairer {
  vmafx::Pairer pairer;
};

namespace {

bool IsSide(const vmafx_side& side) {
  const int number = vmafx::Raw(side);
  return number == VMAFX_DISTORTED || number == VMAFX_REFERENCE;
}

}  // namespace

extern "C" {

vmafx_pairer* vmafx_pairer_create(vmafx_sync sync) {
  vmafx_pairer* pairer = nullptr;
  if (const int number = vmafx::Raw(sync); number != VMAFX_SYNC_TIME && number != VMAFX_SYNC_INDEX) return nullptr;
  (void)vmafx::Guard(nullptr, [&] {
    pairer = new vmafx_pairer{vmafx::Pairer(sync)};
    return VMAFX_OK;
  });
  return pairer;
}

void vmafx_pairer_destroy(vmafx_pairer* pairer) { delete pairer; }

void vmafx_pairer_set_rate(vmafx_pairer* pairer, vmafx_side side, int32_t num, int32_t den) {
  if (pairer && IsSide(side)) pairer->pairer.SetRate(side, num, den);
}

int vmafx_pairer_push(vmafx_pairer* pairer, vmafx_side side, vmafx_time time, vmafx_error* error) {
  return vmafx::Guard(error, [&] {
    if (!pairer || !IsSide(side))
      return vmafx::ToResult(vmafx::Status::Invalid("vmafx_pairer_push: pairer is NULL or side is no vmafx_side"), error);
    return vmafx::ToResult(pairer->pairer.Push(side, time), error);
  });
}

void vmafx_pairer_end(vmafx_pairer* pairer, vmafx_side side) {
  if (pairer && IsSide(side)) pairer->pairer.End(side);
}

int vmafx_pairer_next(vmafx_pairer* pairer, vmafx_pairing* pairing) {
  return vmafx::Guard(nullptr, [&] {
    if (!pairer || !pairing) return VMAFX_ERROR_INVALID;
    return pairer->pairer.Next(pairing);
  });
}

int vmafx_pairer_wants(const vmafx_pairer* pairer, vmafx_side side) {
  return vmafx::Guard(nullptr, [&]() -> int { return pairer && IsSide(side) && pairer->pairer.Wants(side); }) == 1;
}

void vmafx_pairer_stats(const vmafx_pairer* pairer, vmafx_pairing_stats* stats) {
  (void)vmafx::Guard(nullptr, [&] {
    if (!pairer || !vmafx::CheckStruct(stats, "vmafx_pairing_stats").ok()) return VMAFX_ERROR_INVALID;
    const uint32_t size = stats->struct_size;
    *stats = pairer->pairer.Stats();
    stats->struct_size = size;
    return VMAFX_OK;
  });
}

}  // extern "C"
