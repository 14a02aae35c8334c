// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/host_runner/faulty_device.h"

namespace vmafx::host_runner {
namespace {

class FaultyMark final : public DeviceMark {
 public:
  FaultyMark(std::unique_ptr<DeviceMark> inner, Fault* fault) : inner_(std::move(inner)), fault_(fault) {}
  Status Done(bool* done) override {
    // A failure of this call alone is none of the pair's: Wait() has the last word.
    if (fault_->lost) VMAFX_RETURN_IF_ERROR(fault_->Next("Done"));
    return inner_->Done(done);
  }
  Status Wait() override {
    // What was enqueued does end, whatever is reported of it.
    const Status waited = inner_->Wait();
    VMAFX_RETURN_IF_ERROR(fault_->Next("Wait"));
    return waited;
  }
  Status MillisecondsSince(const DeviceMark& earlier, double* milliseconds) const override {
    return inner_->MillisecondsSince(static_cast<const FaultyMark&>(earlier).inner(), milliseconds);
  }
  DeviceMark& inner() const { return *inner_; }

 private:
  std::unique_ptr<DeviceMark> inner_;
  Fault* fault_;
};

class FaultyQueue final : public DeviceQueue {
 public:
  FaultyQueue(std::unique_ptr<DeviceQueue> inner, Fault* fault) : inner_(std::move(inner)), fault_(fault) {}
  Status Launch(const Kernel* kernel, Dim3 grid, Dim3 block, size_t shared_bytes, const void* arguments,
                size_t argument_bytes) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("Launch"));
    return inner_->Launch(kernel, grid, block, shared_bytes, arguments, argument_bytes);
  }
  Status Zero(DeviceAddress address, size_t bytes) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("Zero"));
    return inner_->Zero(address, bytes);
  }
  Status CopyToHost(void* host, DeviceAddress device, size_t bytes) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("CopyToHost"));
    return inner_->CopyToHost(host, device, bytes);
  }
  Status CopyToDevice(DeviceAddress device, const void* host, size_t bytes) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("CopyToDevice"));
    return inner_->CopyToDevice(device, host, bytes);
  }
  Status WaitForProducer(void* stream) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("WaitForProducer"));
    return inner_->WaitForProducer(stream);
  }
  Status WaitFor(const DeviceMark& mark) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("WaitFor"));
    return inner_->WaitFor(static_cast<const FaultyMark&>(mark).inner());
  }
  Status Record(DeviceMark& mark) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("Record"));
    return inner_->Record(static_cast<FaultyMark&>(mark).inner());
  }
  Status Drain() override {
    const Status drained = inner_->Drain();
    VMAFX_RETURN_IF_ERROR(fault_->Next("Drain"));
    return drained;
  }

 private:
  std::unique_ptr<DeviceQueue> inner_;
  Fault* fault_;
};

class FaultyDevice final : public Device {
 public:
  FaultyDevice(std::unique_ptr<Device> inner, Fault* fault) : inner_(std::move(inner)), fault_(fault) {}
  ~FaultyDevice() override { FreeTables(); }
  std::string name() const override { return inner_->name(); }
  int wave_size() const override { return inner_->wave_size(); }
  int multiprocessors() const override { return inner_->multiprocessors(); }
  Status FindKernel(const char* module, const char* name, const Kernel** kernel) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("FindKernel"));
    return inner_->FindKernel(module, name, kernel);
  }
  Status Allocate(size_t bytes, DeviceAddress* address) override {
    if (!fault_->Next("").ok()) return Status::Memory("injected: Allocate");
    return inner_->Allocate(bytes, address);
  }
  void Free(DeviceAddress address) override { inner_->Free(address); }
  Status AllocatePinned(size_t bytes, void** memory) override {
    if (!fault_->Next("").ok()) return Status::Memory("injected: AllocatePinned");
    return inner_->AllocatePinned(bytes, memory);
  }
  void FreePinned(void* memory) override { inner_->FreePinned(memory); }
  Status Upload(DeviceAddress address, const void* host, size_t bytes) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("Upload"));
    return inner_->Upload(address, host, bytes);
  }
  std::string pci_address() const override { return inner_->pci_address(); }
  Status Import(int fd, uint64_t bytes, DeviceAddress* address) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("Import"));
    return inner_->Import(fd, bytes, address);
  }
  void Release(DeviceAddress address) override { inner_->Release(address); }
  Status MakeQueue(std::unique_ptr<DeviceQueue>* queue) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("MakeQueue"));
    std::unique_ptr<DeviceQueue> inner;
    VMAFX_RETURN_IF_ERROR(inner_->MakeQueue(&inner));
    *queue = std::make_unique<FaultyQueue>(std::move(inner), fault_);
    return {};
  }
  Status MakeMark(bool timed, std::unique_ptr<DeviceMark>* mark) override {
    VMAFX_RETURN_IF_ERROR(fault_->Next("MakeMark"));
    std::unique_ptr<DeviceMark> inner;
    VMAFX_RETURN_IF_ERROR(inner_->MakeMark(timed, &inner));
    *mark = std::make_unique<FaultyMark>(std::move(inner), fault_);
    return {};
  }

 private:
  std::unique_ptr<Device> inner_;
  Fault* fault_;
};

}  // namespace

std::unique_ptr<Device> MakeFaultyDevice(std::unique_ptr<Device> inner, Fault* fault) {
  return std::make_unique<FaultyDevice>(std::move(inner), fault);
}

}  // namespace vmafx::host_runner
