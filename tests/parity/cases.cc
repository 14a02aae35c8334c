// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/parity/cases.h"

#include <algorithm>

#include "tests/pictures.h"

namespace vmafx::test {
namespace {

constexpr int kWidth = 357, kHeight = 353;
constexpr int kDepths[] = {8, 10, 12, 16};
constexpr vmafx_layout kLayouts[] = {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440,
                                     VMAFX_LAYOUT_444, VMAFX_LAYOUT_GRAY, VMAFX_LAYOUT_RGB};
constexpr const char* kLayoutNames[] = {"gray", "420", "422", "440", "444", "rgb"};  // by vmafx_layout

constexpr BlockLayout kPlanar = {};
constexpr BlockLayout kAligned = {.name = "pitch 256", .pitch_alignment = 256};
constexpr BlockLayout kSemiPlanar = {.name = "semi-planar", .semi_planar = true, .pitch_alignment = 512};
constexpr BlockLayout kTightSemiPlanar = {.name = "semi-planar, tight", .semi_planar = true};
constexpr BlockLayout kMsb = {.name = "msb", .bytes = 2, .msb = true, .pitch_alignment = 64};
constexpr BlockLayout kMsbSemiPlanar = {.name = "msb semi-planar", .bytes = 2, .msb = true, .semi_planar = true, .pitch_alignment = 512};
constexpr BlockLayout kWords = {.name = "words", .bytes = 2, .pitch_extra = 2};
constexpr BlockLayout kFlipped = {.name = "flipped", .flipped = true, .pitch_extra = 14};
constexpr BlockLayout kShifted = {.name = "cropped", .pitch_alignment = 16, .offset = 6};
constexpr BlockLayout kPackedStep = {.name = "packed", .pitch_alignment = 4, .step = 3};
constexpr BlockLayout kBigEndian = {.name = "big-endian", .big_endian = true};

// How the two pictures lie: alike and unlike, so that either's own pitch, step and shift must be used.
constexpr std::pair<BlockLayout, BlockLayout> kStorages[] = {
    {kPlanar, kPlanar},         {kAligned, kAligned},   {kSemiPlanar, kSemiPlanar}, {kTightSemiPlanar, kAligned},
    {kMsbSemiPlanar, kMsbSemiPlanar}, {kMsb, kPlanar},  {kWords, kMsb},             {kFlipped, kAligned},
    {kShifted, kShifted},       {kShifted, kSemiPlanar}, {kPackedStep, kPlanar},
};

struct OptionSet {
  const char* metric;
  const char* text;  // name=value, joined by spaces
};
constexpr OptionSet kOptionSets[] = {
    {"float_psnr", "psnr_uncapped=1"},
    {"psnr", "psnr_uncapped=1"},
    {"psnr", "psnr_chroma=0"},
    {"psnr", "psnr_mse=1 psnr_apsnr=1"},
    {"psnr", "psnr_reduced_peak=1"},
    {"psnr", "psnr_min_sse=0.5"},
    {"vif", "vif_enhn_gain_limit=1"},
    {"vif", "vif_enhn_gain_limit=1.2"},
    {"vif", "vif_skip_scale0=1"},
    {"vif", "vif_debug=1"},
    {"vif", "vif_skip_scale0=1 vif_debug=1 vif_enhn_gain_limit=2.5"},
    {"ssimulacra2", "ssimulacra2_profile=recursive"},
};

constexpr std::pair<int, int> kSmallSizes[] = {{1, 1},   {2, 1},   {3, 5},   {7, 7},   {8, 8},     {16, 16},  {17, 17},
                                               {31, 33}, {40, 40}, {56, 56}, {64, 64}, {224, 224}, {225, 225}};

Options Parse(const std::string& text) {
  Options options;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const size_t equals = text.find('=', begin);
    options.Set(text.substr(begin, equals - begin), text.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return options;
}

Format MakeTagged(int width, int height, vmafx_layout layout, int depth) {
  Format format = MakeFormat(width, height, layout, depth);
  if (layout == VMAFX_LAYOUT_RGB) {
    format.range = VMAFX_RANGE_FULL;
    format.matrix = 0;
  }
  return format;
}

class Builder {
 public:
  explicit Builder(std::vector<const Metric*> metrics) : metrics_(std::move(metrics)) {}

  void Add(const std::string& name, const PairFormat& format, const std::string& options = "",
           const std::pair<BlockLayout, BlockLayout>& storage = {kAligned, kPlanar}, Scene scene = Scene::kMoving,
           int frames = 1) {
    ParityCase c;
    c.name = name;
    c.metrics = metrics_;
    c.options = Parse(options);
    c.format = format;
    c.distorted = storage.first;
    c.reference = storage.second;
    c.host_memory = cases_.size() % 5 == 4;
    c.scene = scene;
    c.frames = frames;
    for (const Metric* metric : metrics_) {
      const vmafx_metric_info& info = metric->info();
      if (format.reference.width < info.min_width || format.reference.height < info.min_height) return;
      if (!metric->Check(format, c.options, Notices()).ok()) return;
    }
    cases_.push_back(std::move(c));
  }

  std::vector<ParityCase> Take() { return std::move(cases_); }

 private:
  std::vector<Notice>* Notices() {
    notices_.clear();
    return &notices_;
  }

  std::vector<const Metric*> metrics_;
  std::vector<ParityCase> cases_;
  std::vector<Notice> notices_;
};

std::string Words(int depth, vmafx_layout layout) {
  return std::to_string(depth) + " bit " + kLayoutNames[layout];
}

void AddTagged(Builder& builder, const std::string& options) {
  constexpr int kTaggedWidth = 70, kTaggedHeight = 45;
  for (int matrix : {1, 4, 5, 7, 9})
    for (vmafx_range range : {VMAFX_RANGE_LIMITED, VMAFX_RANGE_FULL}) {
      Format format = MakeTagged(kTaggedWidth, kTaggedHeight, VMAFX_LAYOUT_420, 10);
      format.matrix = matrix;
      format.range = range;
      builder.Add("matrix " + std::to_string(matrix) + (range == VMAFX_RANGE_FULL ? " full" : " limited"),
                  MakePairFormat(format), options);
    }
  for (vmafx_layout layout : {VMAFX_LAYOUT_420, VMAFX_LAYOUT_422, VMAFX_LAYOUT_440})
    for (int location = VMAFX_CHROMA_LEFT; location <= VMAFX_CHROMA_BOTTOM; ++location) {
      Format format = MakeTagged(kTaggedWidth - 1, kTaggedHeight, layout, 8);
      format.chroma_location = static_cast<vmafx_chroma_location>(location);
      builder.Add(std::string("chroma location ") + std::to_string(location) + " " + kLayoutNames[layout],
                  MakePairFormat(format), options);
    }
}

void AddAll(Builder& builder, const std::string& options, int frames) {
  const std::string suffix = options.empty() ? "" : ", " + options;
  for (int depth : kDepths)
    for (vmafx_layout layout : kLayouts)
      builder.Add(Words(depth, layout) + suffix, MakePairFormat(MakeTagged(kWidth, kHeight, layout, depth)), options,
                  {kAligned, kPlanar}, Scene::kMoving, frames);
  for (const auto& storage : kStorages)
    for (int depth : {8, 10})
      builder.Add(Words(depth, VMAFX_LAYOUT_420) + ", " + storage.first.name + " and " + storage.second.name + suffix,
                  MakePairFormat(MakeTagged(203, 101, VMAFX_LAYOUT_420, depth)), options, storage);
  for (int depth : {9, 14})
    builder.Add(Words(depth, VMAFX_LAYOUT_420) + suffix, MakePairFormat(MakeTagged(97, 61, VMAFX_LAYOUT_420, depth)),
                options, {kMsb, kPlanar});
  for (const auto& [width, height] : kSmallSizes)
    builder.Add(std::to_string(width) + "x" + std::to_string(height) + suffix,
                MakePairFormat(MakeTagged(width, height, VMAFX_LAYOUT_420, width % 2 != 0 ? 8 : 10)), options,
                {kPlanar, kAligned});
  for (Scene scene : {Scene::kIdentical, Scene::kExtremes, Scene::kOpposite})
    for (int depth : {8, 16})
      builder.Add("scene " + std::to_string(static_cast<int>(scene)) + ", " + Words(depth, VMAFX_LAYOUT_444) + suffix,
                  MakePairFormat(MakeTagged(129, 131, VMAFX_LAYOUT_444, depth)), options, {kPlanar, kPlanar}, scene);
  // Unequal depths, the shallower side lifted.
  for (bool distorted_is_8 : {true, false}) {
    PairFormat format = MakePairFormat(MakeTagged(203, 101, VMAFX_LAYOUT_420, 10));
    (distorted_is_8 ? format.distorted : format.reference).depth = 8;
    builder.Add(std::string("8 against 10 bit") + (distorted_is_8 ? "" : ", swapped") + suffix, format, options,
                {kSemiPlanar, kMsbSemiPlanar});
  }
  AddTagged(builder, options);
}

}  // namespace

std::vector<ParityCase> CasesOf(const Metric& metric, int frames) {
  Builder builder({&metric});
  AddAll(builder, "", frames);
  for (const OptionSet& set : kOptionSets) {
    if (metric.info().name != std::string_view(set.metric)) continue;
    if (std::string_view(set.text).starts_with("ssimulacra2_profile")) {
      AddAll(builder, set.text, frames);
      continue;
    }
    for (int depth : kDepths)
      builder.Add(Words(depth, VMAFX_LAYOUT_420) + ", " + set.text,
                  MakePairFormat(MakeTagged(kWidth, kHeight, VMAFX_LAYOUT_420, depth)), set.text, {kPlanar, kMsb},
                  Scene::kMoving, frames);
    builder.Add(std::string("identical, ") + set.text, MakePairFormat(MakeTagged(65, 47, VMAFX_LAYOUT_420, 8)), set.text,
                {kPlanar, kPlanar}, Scene::kIdentical);
  }
  std::vector<ParityCase> cases = builder.Take();
  // Byte order is a matter of the upload.
  ParityCase swapped = cases.front();
  swapped.name = "16 bit 420, big-endian";
  swapped.format = MakePairFormat(MakeTagged(97, 61, VMAFX_LAYOUT_420, 16));
  swapped.distorted = swapped.reference = kBigEndian;
  swapped.host_memory = true;
  cases.push_back(swapped);
  return cases;
}

std::vector<ParityCase> VectorCases(const Metric& metric, int frames) {
  std::vector<ParityCase> cases;
  for (const std::string& name : ClipNames()) {
    const auto clip = std::make_shared<const Clip>(name);
    std::vector<std::string> option_sets = {""};
    if (metric.info().name == std::string_view("ssimulacra2")) option_sets.push_back("ssimulacra2_profile=recursive");
    for (const std::string& options : option_sets) {
      Builder builder({&metric});
      builder.Add("vector " + name + (options.empty() ? "" : ", " + options), clip->format(), options, {kAligned, kPlanar},
                  Scene::kMoving, frames == 0 ? clip->frames() : std::min(frames, clip->frames()));
      for (ParityCase& c : builder.Take()) {
        c.clip = clip;
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

std::vector<ParityCase> JointCases(Device& device, int frames) {
  std::vector<const Metric*> metrics;
  for (const Metric* metric : Metrics())
    if (metric->MakeDevice(MakePairFormat(MakeFormat(64, 64, VMAFX_LAYOUT_420, 8)), {}, device) != nullptr)
      metrics.push_back(metric);
  Builder builder(metrics);
  for (int depth : {8, 10})
    builder.Add("all metrics, " + Words(depth, VMAFX_LAYOUT_420),
                MakePairFormat(MakeTagged(kWidth, kHeight, VMAFX_LAYOUT_420, depth)), "",
                {kSemiPlanar, kMsbSemiPlanar}, Scene::kMoving, frames);
  std::vector<ParityCase> cases = builder.Take();
  for (size_t i = 0, count = cases.size(); i < count; ++i) {
    ParityCase beside = cases[i];
    beside.name = "the largest beside the others, " + beside.name;
    size_t largest = 0;
    for (const Metric* metric : metrics)
      largest = std::max(largest, AlignDevice(metric->MakeDevice(beside.format, beside.options, device)->scratch_bytes()));
    beside.two_lanes_scratch = largest - 1;
    cases.push_back(std::move(beside));
  }
  return cases;
}

}  // namespace vmafx::test
