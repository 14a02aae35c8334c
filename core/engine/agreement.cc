// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "core/engine/agreement.h"

#include <algorithm>
#include <string>

namespace vmafx {
namespace {

constexpr int kUnspecified = 2, kIdentity = 0, kBt709 = 1;  // matrix_coefficients of H.273

std::string Size(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

vmafx_range ResolveRange(const Shape& own, const Shape& other) {
  if (own.layout == VMAFX_LAYOUT_RGB) return own.range == VMAFX_RANGE_UNSPECIFIED ? VMAFX_RANGE_FULL : own.range;
  if (own.range != VMAFX_RANGE_UNSPECIFIED) return own.range;
  if (other.range != VMAFX_RANGE_UNSPECIFIED && other.layout != VMAFX_LAYOUT_RGB) return other.range;
  return VMAFX_RANGE_LIMITED;
}

int ResolveMatrix(const Shape& shape) {
  if (shape.layout == VMAFX_LAYOUT_RGB) return kIdentity;
  return shape.matrix == kUnspecified ? kBt709 : shape.matrix;
}

vmafx_chroma_location ResolveChromaLocation(const Shape& shape) {
  const bool subsampled =
      shape.layout == VMAFX_LAYOUT_420 || shape.layout == VMAFX_LAYOUT_422 || shape.layout == VMAFX_LAYOUT_440;
  if (!subsampled || shape.chroma_location == VMAFX_CHROMA_UNSPECIFIED) return VMAFX_CHROMA_LEFT;
  return shape.chroma_location;
}

Format Resolve(const Shape& own, const Shape& other) {
  return {.width = own.width,
          .height = own.height,
          .layout = own.layout,
          .depth = own.depth,
          .range = ResolveRange(own, other),
          .matrix = ResolveMatrix(own),
          .transfer = own.transfer,
          .chroma_location = ResolveChromaLocation(own)};
}

// Names of the active metrics for which `wanted` holds, joined; empty: none.
template <class Wanted>
std::string Names(const Selection& selection, uint64_t active, Wanted&& wanted) {
  std::string names;
  for (size_t i = 0; i < selection.metrics.size(); ++i) {
    if (!(active >> i & 1) || !wanted(*selection.metrics[i])) continue;
    names += (names.empty() ? "" : ", ") + std::string(selection.metrics[i]->info().name);
  }
  return names;
}

// The verb for such a list of names.
const char* Verb(const std::string& names, const char* one, const char* several) {
  return names.find(',') == std::string::npos ? one : several;
}

void NoteRange(const Shape& distorted, const Shape& reference, const PairFormat& format, std::vector<Notice>* notices) {
  const bool yuv[] = {distorted.layout != VMAFX_LAYOUT_RGB, reference.layout != VMAFX_LAYOUT_RGB};
  const bool untagged[] = {yuv[0] && distorted.range == VMAFX_RANGE_UNSPECIFIED,
                           yuv[1] && reference.range == VMAFX_RANGE_UNSPECIFIED};
  if (untagged[0] && untagged[1]) {
    notices->push_back({VMAFX_LOG_INFO,
                        "neither picture's range is tagged: limited (tv) is assumed; setparams=range=pc says otherwise"});
    return;
  }
  const char* const sides[] = {"distorted", "reference"};
  const vmafx_range ranges[] = {format.distorted.range, format.reference.range};
  for (int i = 0; i < 2; ++i) {
    if (!untagged[i]) continue;
    notices->push_back({VMAFX_LOG_WARNING, std::string("the ") + sides[i] + " picture's range is not tagged: " +
                                               RangeName(ranges[i]) + " is assumed" + (yuv[1 - i] ? " as the " : "") +
                                               (yuv[1 - i] ? sides[1 - i] + std::string(" picture has it") : "") +
                                               "; setparams=range= says otherwise"});
  }
}

void NoteMatrix(const Shape& shape, const char* side, const std::string& metrics, std::vector<Notice>* notices) {
  if (shape.matrix != kUnspecified || shape.layout == VMAFX_LAYOUT_RGB || shape.layout == VMAFX_LAYOUT_GRAY) return;
  notices->push_back({VMAFX_LOG_WARNING, std::string("the ") + side + " picture's matrix is not tagged: " + metrics +
                                             Verb(metrics, " assumes", " assume") +
                                             " BT.709; setparams=colorspace= says otherwise"});
}

Status CheckSizes(const Shape& distorted, const Shape& reference) {
  if (distorted.width == reference.width && distorted.height == reference.height) return {};
  const std::string sizes = "the distorted picture is " + Size(distorted.width, distorted.height) + " and the reference " +
                            Size(reference.width, reference.height);
  if (distorted.width == reference.height && distorted.height == reference.width)
    return Status::Mismatch(sizes + ", so one may be turned by 90 degrees: insert transpose=clock or transpose=cclock before "
                                    "the distorted input, or scale= where it is not");
  return Status::Mismatch(sizes + ": insert scale=" + std::to_string(reference.width) +
                          ":" + std::to_string(reference.height) + ":flags=bicubic before the distorted input");
}

Status CheckMemory(const Shape& distorted, const Shape& reference) {
  if (distorted.memory == reference.memory) return {};
  const bool first = distorted.memory != VMAFX_MEMORY_HOST;
  const std::string both = "the distorted picture is in " + MemoryName(distorted.memory) + " and the reference in " +
                           MemoryName(reference.memory) + ": insert hwdownload,format= before ";
  if (first && reference.memory != VMAFX_MEMORY_HOST) return Status::Mismatch(both + "both inputs");
  return Status::Mismatch(both + "the " + (first ? "distorted" : "reference") + " input or hwupload before the " +
                          (first ? "reference" : "distorted"));
}

// The checks of metrics that compare samples; `names` says which.
Status CheckSamples(const PairFormat& format, const std::string& names, std::vector<Notice>* notices) {
  const Format &d = format.distorted, &r = format.reference;
  if (d.range != r.range) {
    const bool limited = r.range == VMAFX_RANGE_LIMITED;
    return Status::Mismatch("the distorted picture's range is " + RangeName(d.range) + " and the reference's " +
                            RangeName(r.range) + ", and " + names +
                            Verb(names, " compares", " compare") + " code values: insert scale=in_range=" +
                            (limited ? "pc:out_range=tv" : "tv:out_range=pc") +
                            " before the distorted input, or setparams=range= where a tag is wrong");
  }
  if (d.depth == r.depth) return {};
  if (d.range == VMAFX_RANGE_FULL) {
    return Status::Mismatch("the distorted picture has " + std::to_string(d.depth) + " bits and the reference " +
                            std::to_string(r.depth) + ", both of full (pc) range, and " + names +
                            Verb(names, " compares", " compare") + " code values: insert format=" +
                            PixelFormatName(d.depth < r.depth ? d.layout : r.layout, format.depth) + " before the " +
                            (d.depth < r.depth ? "distorted" : "reference") + " input");
  }
  notices->push_back({VMAFX_LOG_WARNING, "the distorted picture has " + std::to_string(d.depth) +
                                             " bits and the reference " + std::to_string(r.depth) + ": for " + names +
                                             " the samples of " + std::to_string(std::min(d.depth, r.depth)) +
                                             " bits are shifted left by " + std::to_string(std::abs(d.depth - r.depth))});
  return {};
}

Status CheckChroma(const PairFormat& format, const std::string& names) {
  const Format &d = format.distorted, &r = format.reference;
  if (names.empty() || d.layout == r.layout) return {};
  return Status::Mismatch("the distorted picture is " + LayoutName(d.layout) + " and the reference " +
                          LayoutName(r.layout) + ", and " + names +
                          Verb(names, " compares", " compare") + " chroma samples: insert format=" +
                          PixelFormatName(r.layout, d.depth) + " before the distorted input, or leave chroma out");
}

}  // namespace

Status Agree(const Shape& distorted, const Shape& reference, const Selection& selection, Agreement* agreement,
             std::vector<Notice>* notices) {
  VMAFX_RETURN_IF_ERROR(CheckSizes(distorted, reference));
  VMAFX_RETURN_IF_ERROR(CheckMemory(distorted, reference));

  PairFormat format = {.distorted = Resolve(distorted, reference),
                       .reference = Resolve(reference, distorted),
                       .depth = std::max(distorted.depth, reference.depth)};
  uint64_t active = (uint64_t{1} << selection.metrics.size()) - 1;
  const auto compares_samples = [](const Metric& metric) { return metric.SampleDomain(); };
  std::string sample_names = Names(selection, active, compares_samples);

  if (distorted.layout == VMAFX_LAYOUT_RGB || reference.layout == VMAFX_LAYOUT_RGB) {
    for (size_t i = 0; i < selection.metrics.size(); ++i)
      if (selection.metrics[i]->SampleDomain()) active &= ~(uint64_t{1} << i);
    const std::string left = Names(selection, active, [](const Metric&) { return true; });
    if (!sample_names.empty()) {
      if (selection.chosen || left.empty()) {
        const std::string layouts = distorted.layout == reference.layout
                                        ? "both pictures are RGB"
                                        : "the distorted picture is " + LayoutName(distorted.layout) +
                                              " and the reference " + LayoutName(reference.layout);
        return Status::Unsupported(layouts + ", and " + sample_names +
                                   Verb(sample_names, " does", " do") + " not take RGB: insert format=" +
                                   PixelFormatName(VMAFX_LAYOUT_444, format.depth) +
                                   " before both inputs, or measure metrics=ssimulacra2 alone");
      }
      notices->push_back({VMAFX_LOG_WARNING, "RGB input: only " + left + Verb(left, " is", " are") + " measured, " +
                                                 sample_names +
                                                 Verb(sample_names, " does", " do") + " not take RGB; format=" +
                                                 PixelFormatName(VMAFX_LAYOUT_444, format.depth) + " converts"});
      sample_names.clear();
    }
  }

  for (size_t i = 0; i < selection.metrics.size(); ++i) {
    const vmafx_metric_info& info = selection.metrics[i]->info();
    if ((active >> i & 1) && (distorted.width < info.min_width || distorted.height < info.min_height))
      return Status::Unsupported("pictures of " + Size(distorted.width, distorted.height) + " are smaller than the " +
                                 Size(info.min_width, info.min_height) + " that " + info.name +
                                 " needs: leave it out of metrics=");
  }

  NoteRange(distorted, reference, format, notices);
  if (!sample_names.empty()) VMAFX_RETURN_IF_ERROR(CheckSamples(format, sample_names, notices));
  VMAFX_RETURN_IF_ERROR(CheckChroma(format, Names(selection, active, [&](const Metric& metric) {
                                      return metric.ComparesChroma(*selection.options);
                                    })));
  const std::string colour_names = Names(selection, active, [](const Metric& m) { return !m.SampleDomain(); });
  if (!colour_names.empty()) {
    NoteMatrix(distorted, "distorted", colour_names, notices);
    NoteMatrix(reference, "reference", colour_names, notices);
  }
  for (size_t i = 0; i < selection.metrics.size(); ++i)
    if (active >> i & 1) VMAFX_RETURN_IF_ERROR(selection.metrics[i]->Check(format, *selection.options, notices));

  *agreement = {format, active};
  return {};
}

}  // namespace vmafx
