// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/device_backend.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <list>
#include <new>

#include "core/engine/device_imports.h"
#include "core/engine/device_memory.h"
#include "core/engine/device_name.h"
#include "core/engine/device_program.h"
#include "core/engine/device_upload.h"

namespace vmafx {
namespace {

// Formats whose extractors are kept. A stream that alternates between a few keeps them all.
constexpr size_t kPrograms = 4;

struct CachedProgram {
  PairFormat format;
  uint64_t active = 0;
  std::shared_ptr<const DeviceProgram> program;
};

// A pair in flight.
struct Slot {
  explicit Slot(Device& device)
      : result(device), result_on_host(device), upload(device), staging(device) {}
  std::shared_ptr<const DeviceProgram> program;
  PictureHold hold[2];
  ImportHold imports[2];
  std::unique_ptr<DeviceMark> finished;
  std::unique_ptr<DeviceMark> joint;
  std::unique_ptr<DeviceMark> uploaded;
  DeviceMemory result;
  PinnedMemory result_on_host;
  DeviceMemory upload;
  PinnedMemory staging;

  // The device is done with both pictures.
  void ReleasePictures() {
    for (ImportHold& objects : imports) objects = {};
    for (PictureHold& picture : hold) picture.Release();
  }
};

class DeviceBackend final : public Backend {
 public:
  DeviceBackend(const Plan& plan, std::unique_ptr<Device> device, size_t two_lanes_scratch)
      : plan_(plan), two_lanes_scratch_(two_lanes_scratch), device_(std::move(device)), imports_(*device_) {}

  ~DeviceBackend() override {
    // Pictures and memory must not go while the device may read them. After an error this returns at once.
    DrainLanes();
    if (upload_queue_) (void)upload_queue_->Drain();
  }

  Status Open() {
    const size_t slots = plan_.queue > 0 ? static_cast<size_t>(plan_.queue) : kDeviceQueue;
    for (size_t i = 0; i < std::min(kLanes, slots); ++i) {
      lanes_.push_back(std::make_unique<DeviceLane>(*device_));
      VMAFX_RETURN_IF_ERROR(device_->MakeQueue(&lanes_.back()->queue));
    }
    for (size_t i = 0; i < slots; ++i) {
      Slot& slot = slots_.emplace_back(*device_);
      VMAFX_RETURN_IF_ERROR(device_->MakeMark(false, &slot.finished));
      VMAFX_RETURN_IF_ERROR(device_->MakeMark(false, &slot.joint));
    }
    return {};
  }

  std::string device() const override { return device_->name(); }
  size_t queue() const override { return slots_.size(); }

  Status Check(const Job& job) const override {
    const auto frames = [](int side) {
      return std::string("the ") + (side == VMAFX_DISTORTED ? "distorted" : "reference") + " frames are ";
    };
    for (int side = 0; side < 2; ++side) {
      if (Memory(job, side) == VMAFX_MEMORY_CUDA && job.context[side] != plan_.context)
        return Status::Mismatch(frames(side) + "in another device context than the first pair's: use one device for both "
                                               "streams (-init_hw_device cuda=gpu, -hwaccel_device gpu before each input; "
                                               "hwupload, as hwupload_cuda makes a context of its own)");
      const char* const holder = job.dmabuf[side] != nullptr ? job.dmabuf[side]->device : nullptr;
      if (holder == nullptr || device_->pci_address().empty()) continue;
      if (FullPciAddress(holder) != FullPciAddress(device_->pci_address()))
        return Status::Mismatch(frames(side) + "on the GPU at " + holder + ", this session measures on " +
                                device_->name() + ": decode both streams with one device (-init_hw_device vaapi=gpu, "
                                                  "-hwaccel_device gpu before each input)");
    }
    return {};
  }

  Status Submit(Job job) override {
    VMAFX_RETURN_IF_ERROR(failure_);
    ReleaseRead();
    Slot& slot = *SlotOf(submitted_);
    Status status = Start(job, slot);
    if (status.ok()) {
      for (int side = 0; side < 2; ++side)
        if (Memory(job, side) != VMAFX_MEMORY_HOST) slot.hold[side] = std::move(job.hold[side]);
      ++submitted_;
      return {};
    }
    // What was enqueued of this pair may read its pictures, which go with the job.
    DrainLanes();
    if (upload_queue_) (void)upload_queue_->Drain();
    slot.ReleasePictures();
    return Failed(std::move(status));
  }

  bool Receive(bool wait, Outcome* outcome) override {
    Slot& slot = *SlotOf(received_);
    if (!wait) {
      bool done = false;
      const Status status = slot.finished->Done(&done);
      if (status.ok() && !done) return false;
    }
    outcome->status = slot.finished->Wait();
    slot.ReleasePictures();
    outcome->values.assign(plan_.first.back(), kAbsent);
    if (outcome->status.ok()) outcome->status = slot.program->Finish(slot.result_on_host.data(), plan_.first, outcome->values);
    if (!outcome->status.ok()) outcome->status = Failed(std::move(outcome->status));
    ++received_;
    ReleaseRead();
    return true;
  }

  // A pair in flight keeps its surfaces until it is measured.
  void Forget(uint64_t pool) override {
    imports_.Forget(pool);
    ReleaseRead();
  }

 private:
  static vmafx_memory Memory(const Job& job, int side) {
    return side == VMAFX_DISTORTED ? job.distorted_memory : job.reference_memory;
  }
  static PictureView& Picture(PairView& pair, int side) {
    return side == VMAFX_DISTORTED ? pair.distorted : pair.reference;
  }
  static const Format& FormatOf(const PairFormat& format, int side) {
    return side == VMAFX_DISTORTED ? format.distorted : format.reference;
  }

  std::list<Slot>::iterator SlotOf(uint64_t pair) {
    return std::next(slots_.begin(), static_cast<ptrdiff_t>(pair % slots_.size()));
  }

  // After a device's failure nothing else can be had from it: the first one is what every later pair gets.
  Status Failed(Status status) {
    if (status.code() == VMAFX_ERROR_DEVICE && failure_.ok()) failure_ = status;
    return failure_.ok() ? std::move(status) : failure_;
  }

  // Gives back the pictures of all pairs that the device is done with, not only those asked for.
  void ReleaseRead() {
    for (uint64_t pair = received_; pair < submitted_; ++pair) {
      Slot& slot = *SlotOf(pair);
      bool done = false;
      if (!slot.finished->Done(&done).ok() || !done) return;
      slot.ReleasePictures();
    }
  }

  Status Start(Job& job, Slot& slot) {
    try {
      VMAFX_RETURN_IF_ERROR(Check(job));
      VMAFX_RETURN_IF_ERROR(FindProgram(job, &slot.program));
      const DeviceProgram& program = *slot.program;
      VMAFX_RETURN_IF_ERROR(program.Lanes(submitted_, lanes_, &used_));
      VMAFX_RETURN_IF_ERROR(slot.result.Reserve(program.result_bytes()));
      VMAFX_RETURN_IF_ERROR(slot.result_on_host.Reserve(program.result_bytes()));
      VMAFX_RETURN_IF_ERROR(Fetch(job, slot));
      VMAFX_RETURN_IF_ERROR(program.Enqueue(job.stored, job.lifted, used_, *slot.joint, slot.result.address(),
                                            slot.result_on_host.data()));
      return used_.front()->queue->Record(*slot.finished);
    } catch (const std::bad_alloc&) {
      return Status::Memory("out of host memory");
    }
  }

  Status FindProgram(const Job& job, std::shared_ptr<const DeviceProgram>* found) {
    auto entry = std::find_if(programs_.begin(), programs_.end(), [&](const CachedProgram& cached) {
      return cached.format == job.format && cached.active == job.active;
    });
    if (entry == programs_.end()) {
      std::unique_ptr<DeviceProgram> program;
      VMAFX_RETURN_IF_ERROR(DeviceProgram::Make(job.format, plan_.metrics, job.active, plan_.options,
                                                two_lanes_scratch_, *device_, &program));
      if (programs_.size() == kPrograms) programs_.pop_back();
      entry = programs_.insert(programs_.begin(), {job.format, job.active, std::move(program)});
    }
    programs_.splice(programs_.begin(), programs_, entry);
    *found = programs_.front().program;
    return {};
  }

  // Makes both pictures readable by later commands of the lanes in use.
  Status Fetch(Job& job, Slot& slot) {
    size_t bytes[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
      if (Memory(job, side) == VMAFX_MEMORY_HOST)
        bytes[side] = UploadBytes(Picture(job.stored, side), FormatOf(job.format, side).components());
      else if (job.dmabuf[side] != nullptr)
        VMAFX_RETURN_IF_ERROR(ImportPicture(job, side, slot));
      else if (side == 0 || Memory(job, 0) == VMAFX_MEMORY_HOST || job.stream[0] != job.stream[1])
        for (DeviceLane* lane : used_) VMAFX_RETURN_IF_ERROR(lane->queue->WaitForProducer(job.stream[side]));
    }
    if (bytes[0] + bytes[1] == 0) return {};
    if (!upload_queue_) VMAFX_RETURN_IF_ERROR(device_->MakeQueue(&upload_queue_));
    if (!slot.uploaded) VMAFX_RETURN_IF_ERROR(device_->MakeMark(false, &slot.uploaded));
    VMAFX_RETURN_IF_ERROR(slot.staging.Reserve(bytes[0] + bytes[1]));
    VMAFX_RETURN_IF_ERROR(slot.upload.Reserve(bytes[0] + bytes[1]));
    size_t offset = 0;
    for (int side = 0; side < 2; ++side) {
      if (bytes[side] == 0) continue;
      const int components = FormatOf(job.format, side).components();
      Stage(Picture(job.stored, side), components, slot.staging.data() + offset);
      for (PairView* pair : {&job.stored, &job.lifted})
        PointToUpload(components, slot.upload.address() + offset, &Picture(*pair, side));
      offset += bytes[side];
    }
    VMAFX_RETURN_IF_ERROR(upload_queue_->CopyToDevice(slot.upload.address(), slot.staging.data(), offset));
    VMAFX_RETURN_IF_ERROR(upload_queue_->Record(*slot.uploaded));
    for (DeviceLane* lane : used_) VMAFX_RETURN_IF_ERROR(lane->queue->WaitFor(*slot.uploaded));
    return {};
  }

  // Whoever made the picture has waited for it: a dma-buf brings no stream.
  Status ImportPicture(Job& job, int side, Slot& slot) {
    VMAFX_RETURN_IF_ERROR(imports_.Find(*job.dmabuf[side], &slot.imports[side]));
    for (PairView* pair : {&job.stored, &job.lifted})
      PointToImports(*job.dmabuf[side], slot.imports[side], FormatOf(job.format, side).components(),
                     &Picture(*pair, side));
    return {};
  }

  void DrainLanes() {
    for (const auto& lane : lanes_)
      if (lane->queue) (void)lane->queue->Drain();
  }

  const Plan plan_;
  const size_t two_lanes_scratch_;
  std::unique_ptr<Device> device_;
  DeviceImports imports_;
  std::list<CachedProgram> programs_;  // the one used last in front
  std::vector<std::unique_ptr<DeviceLane>> lanes_;
  std::vector<DeviceLane*> used_;              // by the pair in work
  std::unique_ptr<DeviceQueue> upload_queue_;  // made for the first picture in host memory
  std::list<Slot> slots_;                      // pair n is in slot n % size
  uint64_t submitted_ = 0, received_ = 0;
  Status failure_;
};

}  // namespace

std::unique_ptr<Backend> MakeDeviceBackend(const Plan& plan, std::unique_ptr<Device> device, Status* status,
                                           size_t two_lanes_scratch) {
  try {
    auto backend = std::make_unique<DeviceBackend>(plan, std::move(device), two_lanes_scratch);
    *status = backend->Open();
    if (status->ok()) return backend;
  } catch (const std::bad_alloc&) {
    *status = Status::Memory("out of host memory");
  }
  return nullptr;
}

}  // namespace vmafx
