// SPDX-License-Identifier: BSD-2-Clause-Patent
// The C interface of a session.
#include <limits>

#include "core/engine/abi.h"
#include "core/engine/session.h"

struct vmafx_session {
  std::unique_ptr<vmafx::Session> session;
};

namespace vmafx {
namespace {

// Pictures lie inside the pair, so that their length moves what follows: only this version's lengths can be read.
Status CheckPair(const vmafx_pair* pair) {
  VMAFX_RETURN_IF_ERROR(CheckStruct(pair, "vmafx_pair"));
  if (pair->struct_size == sizeof(vmafx_pair) && pair->distorted.struct_size == sizeof(vmafx_picture) &&
      pair->reference.struct_size == sizeof(vmafx_picture))
    return {};
  return Status::Invalid("vmafx_pair: set struct_size of the pair to " + std::to_string(sizeof(vmafx_pair)) +
                         " and of both pictures to " + std::to_string(sizeof(vmafx_picture)) +
                         "; they are " + std::to_string(pair->struct_size) + ", " +
                         std::to_string(pair->distorted.struct_size) + " and " +
                         std::to_string(pair->reference.struct_size));
}

int Create(const vmafx_config* config, vmafx_session** session, vmafx_error* error) {
  if (session) *session = nullptr;
  if (!config || !session)
    return ToResult(Status::Invalid("vmafx_session_create: config or session is NULL"), error);
  auto made = std::make_unique<vmafx_session>();
  const Status status = Session::Create(config->config, &made->session);
  if (status.ok()) *session = made.release();
  return ToResult(status, error);
}

int Receive(vmafx_session* session, int wait, vmafx_scores* scores, vmafx_error* error) {
  if (!session) return ToResult(Status::Invalid("vmafx_session_receive: session is NULL"), error);
  if (const Status status = CheckStruct(scores, "vmafx_scores"); !status.ok()) return ToResult(status, error);
  if (session->session->idle()) return VMAFX_END;
  bool finished = false;
  Session::Row row;
  const Status status = session->session->Receive(wait != 0, &finished, &row);
  if (!finished) return VMAFX_AGAIN;
  scores->index = row.index;
  scores->scored = status.ok() && row.scored;
  scores->count = row.values->size();
  scores->values = status.ok() ? row.values->data() : nullptr;
  return ToResult(status, error);
}

}  // namespace
}  // namespace vmafx

extern "C" {

int vmafx_session_create(const vmafx_config* config, vmafx_session** session, vmafx_error* error) {
  return vmafx::Guard(error, [&] { return vmafx::Create(config, session, error); });
}

void vmafx_session_destroy(vmafx_session* session) { delete session; }

size_t vmafx_session_feature_count(const vmafx_session* session) {
  return session ? session->session->features().size() : 0;
}

const char* vmafx_session_feature_name(const vmafx_session* session, size_t index) {
  return index < vmafx_session_feature_count(session) ? session->session->features()[index].c_str() : nullptr;
}

const char* vmafx_session_backend(const vmafx_session* session) {
  return session ? session->session->backend().c_str() : "";
}

const char* vmafx_session_device(const vmafx_session* session) {
  return session ? session->session->device().c_str() : "";
}

size_t vmafx_session_queue(const vmafx_session* session) { return session ? session->session->queue() : 0; }

int vmafx_session_submit(vmafx_session* session, const vmafx_pair* pair, vmafx_error* error) {
  return vmafx::Guard(error, [&]() -> int {
    if (!session) return vmafx::ToResult(vmafx::Status::Invalid("vmafx_session_submit: session is NULL"), error);
    if (const vmafx::Status status = vmafx::CheckPair(pair); !status.ok()) return vmafx::ToResult(status, error);
    if (session->session->full()) return VMAFX_AGAIN;
    return vmafx::ToResult(session->session->Submit(*pair), error);
  });
}

void vmafx_session_forget(vmafx_session* session, uint64_t pool) {
  (void)vmafx::Guard(nullptr, [&] {
    if (session) session->session->Forget(pool);
    return VMAFX_OK;
  });
}

int vmafx_session_receive(vmafx_session* session, int wait, vmafx_scores* scores, vmafx_error* error) {
  return vmafx::Guard(error, [&] { return vmafx::Receive(session, wait, scores, error); });
}

size_t vmafx_session_aggregate_count(const vmafx_session* session) {
  return session ? session->session->aggregates().size() : 0;
}

const char* vmafx_session_aggregate_name(const vmafx_session* session, size_t index) {
  return index < vmafx_session_aggregate_count(session) ? session->session->aggregates()[index].c_str() : nullptr;
}

double vmafx_session_aggregate_value(const vmafx_session* session, size_t index) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (index < vmafx_session_aggregate_count(session))
    (void)vmafx::Guard(nullptr, [&] {
      value = session->session->aggregate(index);
      return VMAFX_OK;
    });
  return value;
}

}  // extern "C"
