// SPDX-License-Identifier: BSD-2-Clause-Patent
#include "tests/vectors.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace vmafx::test {
namespace {

std::filesystem::path Folder() {
  if (const char* named = std::getenv("VMAFX_VECTORS"); named != nullptr && *named != '\0') return named;
  return std::filesystem::path(VMAFX_SOURCE_DIR) / "tests" / "vectors";
}

std::vector<uint8_t> ReadXz(const std::filesystem::path& path, size_t expected_bytes) {
  const std::string name = path.string();
  if (name.find('\'') != std::string::npos) throw std::runtime_error("a quote in the vectors' path: " + name);
  FILE* pipe = popen(("xz -dc -- '" + name + "'").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run xz for " + name);
  std::vector<uint8_t> bytes(expected_bytes + 1);
  const size_t read = std::fread(bytes.data(), 1, bytes.size(), pipe);
  const int exit_status = pclose(pipe);
  if (read != expected_bytes || exit_status != 0)
    throw std::runtime_error(name + ": unpacks to " + std::to_string(read) + " bytes, expected " +
                             std::to_string(expected_bytes));
  bytes.pop_back();
  return bytes;
}

vmafx_layout LayoutOf(const std::string& chroma) {
  if (chroma == "400") return VMAFX_LAYOUT_GRAY;
  if (chroma == "420") return VMAFX_LAYOUT_420;
  if (chroma == "422") return VMAFX_LAYOUT_422;
  if (chroma == "444") return VMAFX_LAYOUT_444;
  throw std::runtime_error("unknown chroma format " + chroma);
}

size_t PlaneBytes(const Format& format, int c) {
  return size_t{static_cast<unsigned>(format.component_width(c))} * static_cast<size_t>(format.component_height(c)) *
         (format.depth > 8 ? 2 : 1);
}

size_t FrameBytes(const Format& format) {
  size_t bytes = 0;
  for (int c = 0; c < format.components(); ++c) bytes += PlaneBytes(format, c);
  return bytes;
}

}  // namespace

nlohmann::json LoadVectorJson(const std::string& name) {
  const std::filesystem::path path = Folder() / (name + ".json");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.string() + " (set VMAFX_VECTORS to the vectors' folder)");
  return nlohmann::json::parse(file);
}

Clip::Clip(const std::string& name) : name_(name), json_(LoadVectorJson(name)) {
  Format format;
  format.width = json_.at("width");
  format.height = json_.at("height");
  format.layout = LayoutOf(json_.at("chroma"));
  format.depth = json_.at("bit_depth");
  format_ = {format, format, format.depth};
  frames_ = json_.at("frames");
  const size_t bytes = FrameBytes(format) * static_cast<size_t>(frames_);
  reference_ = ReadXz(Folder() / json_.at("ref").at("file").get<std::string>(), bytes);
  distorted_ = ReadXz(Folder() / json_.at("dis").at("file").get<std::string>(), bytes);
}

PictureView Clip::View(const std::vector<uint8_t>& bytes, int frame) const {
  const Format& format = format_.reference;
  const uint8_t* data = bytes.data() + FrameBytes(format) * static_cast<size_t>(frame);
  PictureView view;
  for (int c = 0; c < format.components(); ++c) {
    Component& component = view.component[c];
    component.data = data;
    component.width = format.component_width(c);
    component.height = format.component_height(c);
    component.bytes = format.depth > 8 ? 2 : 1;
    component.step = component.bytes;
    component.stride = component.step * component.width;
    data += PlaneBytes(format, c);
  }
  return view;
}

std::vector<std::string> ClipNames() {
  constexpr std::string_view kEnding = "_ref.yuv.xz";
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(Folder(), error)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  if (names.empty())
    throw std::runtime_error("no clips in " + Folder().string() + " (set VMAFX_VECTORS to the vectors' folder)");
  std::sort(names.begin(), names.end());
  return names;
}

double ParseDouble(const nlohmann::json& value) {
  return value.is_string() ? std::strtod(value.get_ref<const std::string&>().c_str(), nullptr) : value.get<double>();
}

}  // namespace vmafx::test
