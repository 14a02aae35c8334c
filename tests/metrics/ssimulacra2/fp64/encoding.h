// SPDX-License-Identifier: BSD-2-Clause-Patent
// Encodings by the names that people give them on a command line.
#ifndef VMAFX_TESTS_SSIMULACRA2_FP64_ENCODING_H_
#define VMAFX_TESTS_SSIMULACRA2_FP64_ENCODING_H_

#include <optional>
#include <string_view>

#include "tests/metrics/ssimulacra2/fp64/evaluation.h"

namespace ssimulacra2_fp64 {

// layout: 420, 422, 440, 444, gray, gbr. range: limited, full.
// matrix: bt709, bt601, bt2020nc, smpte240m, fcc. location: left, center, topleft, top, bottomleft, bottom.
// Nothing when a name is unknown. The plane count is 1 for gray, else 3.
struct NamedEncoding {
  Encoding encoding;
  int planes;
};
std::optional<NamedEncoding> EncodingByName(std::string_view layout, int depth, std::string_view range,
                                            std::string_view matrix, std::string_view location);

}  // namespace ssimulacra2_fp64
#endif  // VMAFX_TESTS_SSIMULACRA2_FP64_ENCODING_H_
