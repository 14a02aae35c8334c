/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * vmafx: video quality metrics with the same bits on every processor.
 *
 * The way of the data: a caller makes a configuration, opens a session, submits
 * pairs of pictures (distorted and reference) and receives, later and in the order
 * of submission, one row of scores for each pair. A pairer finds out which
 * frames of two streams belong together; a report pools the rows and writes the log.
 * The four kinds of object know nothing of one another: a caller may use any alone.
 *
 * Conventions of this header
 *  - Functions returning `int` return VMAFX_OK (0), VMAFX_AGAIN, VMAFX_END (both positive) or
 *    a negative vmafx_result. With an error, `error` (may be NULL) receives one line of
 *    UTF-8 text: what, where, what to do. No function prints, aborts or throws.
 *  - Structures start with `struct_size`: set it to sizeof the structure. A newer library
 *    reads an older structure; fields that the caller's version lacks take their defaults.
 *    Another size than a structure of some version had is VMAFX_ERROR_INVALID.
 *  - Integers that name colour properties are the code points of ITU-T H.273
 *    (2 = unspecified), which are FFmpeg's AVCOL_SPC_* and AVCOL_TRC_* values as well.
 *  - Thread-safety is stated for each object: "one thread" means that calls on one
 *    object must not overlap; different objects never share state.
 */
#ifndef VMAFX_VMAFX_H
#define VMAFX_VMAFX_H

#include <stddef.h>
#include <stdint.h>

#define VMAFX_VERSION_MAJOR 0
#define VMAFX_VERSION_MINOR 1
#define VMAFX_VERSION_PATCH 0

#if defined(VMAFX_BUILDING) && (defined(__GNUC__) || defined(__clang__))
#define VMAFX_API __attribute__((visibility("default")))
#else
#define VMAFX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ results */

/** What a function returns. Negative: an error. */
typedef enum vmafx_result {
    VMAFX_OK = 0,
    VMAFX_AGAIN = 1,              /**< nothing to give (or no room) now; see the function */
    VMAFX_END = 2,                /**< nothing is left, and nothing is in flight */
    VMAFX_ERROR_INVALID = -1,     /**< a wrong argument, option or value */
    VMAFX_ERROR_UNSUPPORTED = -2, /**< a picture that a metric or backend does not take */
    VMAFX_ERROR_MISMATCH = -3,    /**< the two pictures of a pair do not fit together */
    VMAFX_ERROR_MEMORY = -4,      /**< out of memory, host or device */
    VMAFX_ERROR_DEVICE = -5,      /**< driver or device: missing, too old, lost */
    VMAFX_ERROR_IO = -6,          /**< the log's write function failed */
    VMAFX_ERROR_INTERNAL = -7     /**< a result that cannot be (not finite): a defect */
} vmafx_result;

/** One line of text about an error; always terminated. */
typedef struct vmafx_error {
    char text[1024];
} vmafx_error;

/** Version of the running library: major * 65536 + minor * 256 + patch. Thread-safety: safe. */
VMAFX_API unsigned vmafx_version(void);

/** The same as text, "0.1.0". Static storage. Thread-safety: safe. */
VMAFX_API const char *vmafx_version_string(void);

/* ----------------------------------------------------------- what there is */

/** A metric of the library's table. All text in static storage. */
typedef struct vmafx_metric_info {
    const char *name;        /**< as in the `metrics` option, e.g. "ssimulacra2" */
    const char *description; /**< one line */
    int min_width;           /**< smallest picture a session accepts, in pixels */
    int min_height;
} vmafx_metric_info;

/** Number of metrics in the table. Thread-safety: safe. */
VMAFX_API size_t vmafx_metric_count(void);

/** Metric `index` of the table, NULL past its end. Thread-safety: safe. */
VMAFX_API const vmafx_metric_info *vmafx_metric_get(size_t index);

/** A processor that this build of the library can use. */
typedef struct vmafx_backend_info {
    const char *name;        /**< "cpu", "cuda", "hip" */
    const char *description; /**< one line, e.g. the instruction set in use or why it is off */
    int built;               /**< 1: compiled in. Whether a device is there shows at session creation */
} vmafx_backend_info;

/** Number of backends known to the library, built or not. Thread-safety: safe. */
VMAFX_API size_t vmafx_backend_count(void);

/** Backend `index`, NULL past the end. Thread-safety: safe. */
VMAFX_API const vmafx_backend_info *vmafx_backend_get(size_t index);

/* ------------------------------------------------------------ configuration */

/** Options of a session. Thread-safety: one thread. */
typedef struct vmafx_config vmafx_config;

/** A new configuration with every option at its default; NULL when out of memory. */
VMAFX_API vmafx_config *vmafx_config_create(void);

/** Frees it; NULL is allowed. A session made from it stays valid. */
VMAFX_API void vmafx_config_destroy(vmafx_config *config);

/**
 * Sets one option, by name, from text. An unknown name or value is VMAFX_ERROR_INVALID and
 * the error text lists the known ones. Numbers are decimal with '.', in any locale.
 *
 * | name | default | range | meaning |
 * |---|---|---|---|
 * | metrics | ssimulacra2+float_psnr+vif | names joined by + | what to measure, in table order |
 * | backend | auto | auto, cpu, cuda, hip | auto: where the first pair's frames are |
 * | device | (of the frames) | index, PCI address, UUID | device for frames in host memory |
 * | threads | 0 | 0..1024 | CPU workers; 0: the cores this process may use |
 * | queue | 0 | 0..64 | pairs in flight; 0: chosen by the backend |
 * | subsample | 1 | 1..1000000 | score each n-th pair (the first, the n+1-th, ...) |
 * | ssimulacra2_profile | standard | standard, recursive | |
 * | ssimulacra2_hdr | score | score, refuse | PQ and HLG input: from code values as if SDR (said once), or an error |
 * | vif_enhn_gain_limit | 100 | 1..100 | limit of the enhancement gain |
 * | vif_skip_scale0 | 0 | 0, 1 | scale 0 is not computed and reported as 0 |
 * | vif_debug | 0 | 0, 1 | numerators and denominators too |
 * | psnr_uncapped | 0 | 0, 1 | float_psnr and psnr above the cap too |
 * | psnr_chroma | 1 | 0, 1 | psnr of the chroma planes too |
 * | psnr_mse | 0 | 0, 1 | mse_y, mse_cb, mse_cr too |
 * | psnr_apsnr | 0 | 0, 1 | aggregate apsnr_y, apsnr_cb, apsnr_cr over all pairs |
 * | psnr_reduced_peak | 0 | 0, 1 | peak 255 * 2^(depth-8) |
 * | psnr_min_sse | 0 | >= 0 | cap from a smallest sum of squared errors |
 */
VMAFX_API int vmafx_config_set(vmafx_config *config, const char *name, const char *value,
                               vmafx_error *error);

/** How important a message is. */
typedef enum vmafx_log_level {
    VMAFX_LOG_WARNING = 0, /**< an assumption that changes scores, said once per session */
    VMAFX_LOG_INFO = 1     /**< a fact worth a line, said once per session */
} vmafx_log_level;

/**
 * Receives the library's messages: one line each, no newline. Called from inside
 * vmafx_session_create() and vmafx_session_submit(), on the caller's thread.
 */
typedef void (*vmafx_log_fn)(void *opaque, vmafx_log_level level, const char *text);

/** Sets the receiver of messages (NULL: none). `opaque` must outlive every session made from it. */
VMAFX_API void vmafx_config_set_log(vmafx_config *config, vmafx_log_fn log, void *opaque);

/* ----------------------------------------------------------------- pictures */

/** Where the samples are. */
typedef enum vmafx_memory {
    VMAFX_MEMORY_HOST = 0, /**< ordinary memory */
    VMAFX_MEMORY_CUDA = 1, /**< CUDA device memory: plane data are CUdeviceptr values */
    VMAFX_MEMORY_DMABUF = 2 /**< Linux dma-buf objects: plane data are byte offsets, see vmafx_dmabuf */
} vmafx_memory;

/** What the three components are and how the second and third are subsampled. */
typedef enum vmafx_layout {
    VMAFX_LAYOUT_GRAY = 0, /**< Y only */
    VMAFX_LAYOUT_420 = 1,  /**< Cb and Cr halved both ways, sizes rounded up */
    VMAFX_LAYOUT_422 = 2,  /**< Cb and Cr halved horizontally */
    VMAFX_LAYOUT_440 = 3,  /**< Cb and Cr halved vertically */
    VMAFX_LAYOUT_444 = 4,
    VMAFX_LAYOUT_RGB = 5   /**< components R, G, B */
} vmafx_layout;

/** Range of the code values. */
typedef enum vmafx_range {
    VMAFX_RANGE_UNSPECIFIED = 0,
    VMAFX_RANGE_LIMITED = 1, /**< luma 16..235, chroma 16..240 at 8 bits */
    VMAFX_RANGE_FULL = 2
} vmafx_range;

/** Position of chroma samples among luma samples: chroma_sample_loc_type of H.273, plus 1. */
typedef enum vmafx_chroma_location {
    VMAFX_CHROMA_UNSPECIFIED = 0,
    VMAFX_CHROMA_LEFT = 1,
    VMAFX_CHROMA_CENTER = 2,
    VMAFX_CHROMA_TOPLEFT = 3,
    VMAFX_CHROMA_TOP = 4,
    VMAFX_CHROMA_BOTTOMLEFT = 5,
    VMAFX_CHROMA_BOTTOM = 6
} vmafx_chroma_location;

/**
 * One component's samples. Sample (x, y) lies at data + y * stride + x * step, so planar,
 * semi-planar (NV12: step 2, Cr one byte after Cb) and flipped pictures are read in place.
 * For 2-byte samples all three are even.
 */
typedef struct vmafx_plane {
    const uint8_t *data; /**< first sample of the top row; a device address for device memory */
    ptrdiff_t stride;    /**< bytes from row to row, may be negative, never 0 for more than one row */
    ptrdiff_t step;      /**< bytes from sample to sample: the bytes of one sample up to 16 */
} vmafx_plane;

/** One dma-buf object of a picture. */
typedef struct vmafx_dmabuf_object {
    int fd;            /**< stays the caller's; must be open while vmafx_session_submit() runs, not longer */
    uint64_t size;     /**< bytes */
    uint64_t modifier; /**< DRM format modifier; 0: linear. Only linear objects are read */
} vmafx_dmabuf_object;

/**
 * Where the samples of a VMAFX_MEMORY_DMABUF picture are: plane[i].data of the picture is an offset into
 * object[plane_object[i]]. An object is imported into the device once and the import is kept as long as
 * vmafx_session_forget() is not called for its pool: a decoder has few surfaces and an import is slow.
 * The samples are complete when the pair is submitted: a dma-buf brings no stream or semaphore to wait on, so the
 * caller waits for its producer first (vaSyncSurface, vkWaitSemaphores). They are read until the picture's `release`.
 */
typedef struct vmafx_dmabuf {
    uint32_t struct_size;          /**< sizeof(vmafx_dmabuf) */
    uint32_t object_count;         /**< 1..4 */
    vmafx_dmabuf_object object[4];
    uint32_t plane_object[3];      /**< per component */
    uint64_t pool;                 /**< names the pool of surfaces (a frames context); 0: nothing is kept */
    uint64_t surface;              /**< names the surface in its pool: the same memory whenever it comes again */
    const char *device;            /**< PCI address "0000:03:00.0" of the GPU that holds it; NULL: unknown */
} vmafx_dmabuf;

/** A picture that the library may read until it calls `release`. */
typedef struct vmafx_picture {
    uint32_t struct_size;     /**< sizeof(vmafx_picture) */
    vmafx_memory memory;
    int width;                /**< of luma, pixels, 1..32768 */
    int height;
    vmafx_layout layout;
    int depth;                /**< significant bits per sample: 8, 9, 10, 12, 14, 16 */
    int bytes_per_sample;     /**< 1 (depth 8 only) or 2 */
    int shift;                /**< unused low bits of a 2-byte sample (P010: 6): value = word >> shift */
    int big_endian;           /**< 1: 2-byte samples are big-endian (host memory only) */
    vmafx_plane plane[3];     /**< Y, Cb, Cr or R, G, B; [1] and [2] unused for grey */
    vmafx_range range;
    int matrix;               /**< H.273 matrix_coefficients; 2: unspecified */
    int transfer;             /**< H.273 transfer_characteristics; 2: unspecified */
    vmafx_chroma_location chroma_location;
    void *device_context;     /**< CUDA: the CUcontext that owns the memory; it must exist until the session that was
                                   given the picture is destroyed. DMABUF: a const vmafx_dmabuf */
    void *device_stream;      /**< CUDA: the CUstream on which the picture was produced; NULL: default. Else unused */
    /** Called exactly once when the library no longer reads the picture, from any thread. May be NULL. */
    void (*release)(void *opaque);
    void *opaque;             /**< argument of release */
} vmafx_picture;

/** A plane of a DRM layer. */
typedef struct vmafx_drm_plane {
    uint32_t object; /**< index into vmafx_drm_frame::object */
    int64_t offset;  /**< bytes from the object's start to the plane's first row */
    int64_t pitch;   /**< bytes from row to row */
} vmafx_drm_plane;

/** A layer of a DRM frame: all planes of a format (NV12), or one plane as a format of its own (R8, GR88). */
typedef struct vmafx_drm_layer {
    uint32_t format;      /**< DRM_FORMAT_* code, four characters, the first in the low byte */
    uint32_t plane_count; /**< 1..4 */
    vmafx_drm_plane plane[4];
} vmafx_drm_layer;

/** A frame as DRM describes it: FFmpeg's AVDRMFrameDescriptor, VA-API's VADRMPRIMESurfaceDescriptor. */
typedef struct vmafx_drm_frame {
    uint32_t struct_size;  /**< sizeof(vmafx_drm_frame) */
    uint32_t object_count; /**< 1..4 */
    vmafx_dmabuf_object object[4];
    uint32_t layer_count;  /**< 1..4 */
    vmafx_drm_layer layer[4];
    uint32_t crop_left;    /**< pixels of luma to the left of the picture, 0..32768 */
    uint32_t crop_top;     /**< pixels of luma above the picture, 0..32768 */
    int assume_linear;     /**< 1: an object without a modifier (DRM_FORMAT_MOD_INVALID) is linear; 0: it may be tiled */
} vmafx_drm_frame;

/** How a DRM frame reaches the device. */
typedef enum vmafx_drm_route {
    VMAFX_DRM_IMPORT = 0,  /**< linear: its objects are read in place */
    VMAFX_DRM_COPY = 1,    /**< tiled: the driver that knows the tiling copies it into a linear surface first */
    VMAFX_DRM_DOWNLOAD = 2 /**< linear, but not readable in place: it has to come through host memory */
} vmafx_drm_route;

/**
 * Decides how a DRM frame reaches the device, from its description alone: nothing is opened or read.
 * `picture` states what the samples are (width and height after cropping, layout, depth, bytes_per_sample, shift), which
 * the formats of single-plane layers do not tell. With VMAFX_DRM_IMPORT the rest is filled in: memory, planes and
 * device_context of `picture`, and the objects of `memory`, as linear ones; its pool, surface and device stay the
 * caller's. With another route both are left alone. `reason` (may be NULL) receives the route's cause, or the error:
 * VMAFX_ERROR_INVALID for a description that contradicts itself or the picture (an object's index out of range, a pitch
 * shorter than its rows, a plane that ends outside its object). In layers of one two-component plane, Cb comes first.
 * Thread-safety: safe.
 */
VMAFX_API int vmafx_drm_describe(const vmafx_drm_frame *frame, vmafx_picture *picture, vmafx_dmabuf *memory,
                                 vmafx_drm_route *route, vmafx_error *reason);

/** Two pictures to compare. */
typedef struct vmafx_pair {
    uint32_t struct_size;    /**< sizeof(vmafx_pair) */
    uint64_t index;          /**< number of the pair: comes back with the scores, named in errors */
    vmafx_picture distorted;
    vmafx_picture reference;
} vmafx_pair;

/* ------------------------------------------------------------------ session */

/** Measures pairs. Thread-safety: one thread (the library's own threads are its own matter). */
typedef struct vmafx_session vmafx_session;

/**
 * Opens a session. Checks metrics, backend and device; allocates per picture geometry at the first pair.
 * A named backend that cannot be had is an error (VMAFX_ERROR_DEVICE): there is no fallback.
 */
VMAFX_API int vmafx_session_create(const vmafx_config *config, vmafx_session **session,
                                   vmafx_error *error);

/** Waits for pairs in flight, releases every picture, frees the session. NULL is allowed. */
VMAFX_API void vmafx_session_destroy(vmafx_session *session);

/**
 * Number of values in a row of scores, fixed for the session's life. A value that a pair
 * does not have (psnr_cb of a grey picture) is NaN in its row and means "absent".
 */
VMAFX_API size_t vmafx_session_feature_count(const vmafx_session *session);

/** Name of value `index`, e.g. "integer_vif_scale0"; NULL past the end. Lives as long as the session. */
VMAFX_API const char *vmafx_session_feature_name(const vmafx_session *session, size_t index);

/** "cpu", "cuda" or "hip"; with backend=auto "auto" until the first pair. Lives as long as the session. */
VMAFX_API const char *vmafx_session_backend(const vmafx_session *session);

/** The device in words (instruction set and threads, or the GPU's name); "" before the first pair. */
VMAFX_API const char *vmafx_session_device(const vmafx_session *session);

/** Greatest number of pairs in flight: submitted and not yet received. */
VMAFX_API size_t vmafx_session_queue(const vmafx_session *session);

/**
 * Submits a pair and returns without waiting for its scores.
 * Whatever is returned but VMAFX_AGAIN, the library has taken over both pictures and calls each
 * release once. VMAFX_AGAIN: the queue is full, nothing was taken; receive first. (Nothing is taken either when
 * nothing can be read: session or pair NULL, a wrong struct_size.)
 *
 * Untagged properties are resolved, and what is assumed is said: an untagged range is the other picture's
 * (both untagged: limited; RGB: full), an untagged matrix BT.709, untagged chroma left-sited. With the default
 * `metrics`, RGB is measured by those that take it and the values of the others are absent.
 *
 * The geometry (size, layout, depth, tags) may change from pair to pair; both pictures must
 * have the same size. Errors: VMAFX_ERROR_MISMATCH (sizes, ranges, memory differ; the text names both
 * and the filter that converts), VMAFX_ERROR_UNSUPPORTED (a size or format a metric does not take),
 * VMAFX_ERROR_INVALID, _MEMORY, _DEVICE. After an error the pairs submitted before can still be received.
 */
VMAFX_API int vmafx_session_submit(vmafx_session *session, const vmafx_pair *pair,
                                   vmafx_error *error);

/**
 * Gives up what is kept of a pool of dma-buf surfaces (vmafx_dmabuf::pool): call it before the surfaces are destroyed
 * or the number is used for others. Does not wait: a pair in flight keeps its own surfaces until it has been measured.
 * An unknown pool, or a session of a backend that keeps nothing, is no error.
 */
VMAFX_API void vmafx_session_forget(vmafx_session *session, uint64_t pool);

/** One row of scores. */
typedef struct vmafx_scores {
    uint32_t struct_size; /**< sizeof(vmafx_scores) */
    uint64_t index;       /**< of the pair */
    int scored;           /**< 0: passed over by `subsample`; values are all absent */
    size_t count;         /**< vmafx_session_feature_count() */
    const double *values; /**< NaN: absent. Valid until the next call on the session. NULL with an error */
} vmafx_scores;

/**
 * The scores of the oldest pair in flight. `wait` 0: VMAFX_AGAIN when they are not there yet;
 * 1: waits. VMAFX_END: nothing is in flight. An error concerns the oldest pair, which is then done with (its
 * number is in scores->index). A score that is not finite is VMAFX_ERROR_INTERNAL, never a value.
 */
VMAFX_API int vmafx_session_receive(vmafx_session *session, int wait, vmafx_scores *scores,
                                    vmafx_error *error);

/** Number of values over all pairs (psnr_apsnr: apsnr_y, ...), 0 for most configurations. */
VMAFX_API size_t vmafx_session_aggregate_count(const vmafx_session *session);

/** Name of aggregate value `index`; NULL past the end. */
VMAFX_API const char *vmafx_session_aggregate_name(const vmafx_session *session, size_t index);

/** Aggregate value `index` over the pairs received so far; NaN: absent. */
VMAFX_API double vmafx_session_aggregate_value(const vmafx_session *session, size_t index);

/* ------------------------------------------------------------------ pairing */

/** The two streams. */
typedef enum vmafx_side { VMAFX_DISTORTED = 0, VMAFX_REFERENCE = 1 } vmafx_side;

/** How frames find each other. */
typedef enum vmafx_sync {
    VMAFX_SYNC_TIME = 0, /**< mutually nearest time stamps */
    VMAFX_SYNC_INDEX = 1 /**< n-th with n-th */
} vmafx_sync;

/**
 * Decides which frames of two streams belong together, from time stamps alone. It holds numbers, no
 * pictures. d and r pair if each is the other's nearest (tie: the earlier) and their
 * distance is less than half of the smaller median interval of the two streams' last 16
 * frames (unknown yet: from the frame rate, else from the next frame; unknown at all: only equal
 * times pair). Times are compared as exact rationals. The decisions and their order depend on
 * the two sequences of times only, not on how the calls for the two sides interleave.
 * Thread-safety: one thread.
 */
typedef struct vmafx_pairer vmafx_pairer;

/** A new pairer; NULL when out of memory. */
VMAFX_API vmafx_pairer *vmafx_pairer_create(vmafx_sync sync);

/** Frees it; NULL is allowed. */
VMAFX_API void vmafx_pairer_destroy(vmafx_pairer *pairer);

/** A time stamp: `value` * `num` / `den` seconds. */
typedef struct vmafx_time {
    int64_t value; /**< INT64_MIN: missing */
    int32_t num;   /**< > 0 */
    int32_t den;   /**< > 0 */
} vmafx_time;

/** Nominal frame rate of a side, frames per second num/den; 0/x: unknown. May be called again. */
VMAFX_API void vmafx_pairer_set_rate(vmafx_pairer *pairer, vmafx_side side, int32_t num,
                                     int32_t den);

/**
 * Adds the next frame of a side. Frames of a side are numbered 0, 1, ... in order of arrival.
 * By time, a missing or decreasing time stamp leaves the frame unpaired. Of frames that repeat the time stamp
 * before them, the n-th pairs with the n-th such frame of the partner, where there is one.
 */
VMAFX_API int vmafx_pairer_push(vmafx_pairer *pairer, vmafx_side side, vmafx_time time,
                                vmafx_error *error);

/** No more frames come from this side. */
VMAFX_API void vmafx_pairer_end(vmafx_pairer *pairer, vmafx_side side);

/** What the pairer decided. */
typedef enum vmafx_pairing_kind {
    VMAFX_PAIRED = 0,
    VMAFX_UNPAIRED_DISTORTED = 1,
    VMAFX_UNPAIRED_REFERENCE = 2
} vmafx_pairing_kind;

/** One decision. Frames of each side leave in order of arrival. */
typedef struct vmafx_pairing {
    vmafx_pairing_kind kind;
    uint64_t distorted; /**< frame number, for VMAFX_PAIRED and VMAFX_UNPAIRED_DISTORTED */
    uint64_t reference; /**< frame number, for VMAFX_PAIRED and VMAFX_UNPAIRED_REFERENCE */
    double distance;    /**< of a pair: |time difference| in seconds, rounded; NaN: a time stamp is missing; else 0 */
} vmafx_pairing;

/**
 * The next decision: VMAFX_OK, VMAFX_AGAIN (more frames are needed), VMAFX_END (both sides ended
 * and all is decided).
 */
VMAFX_API int vmafx_pairer_next(vmafx_pairer *pairer, vmafx_pairing *pairing);

/**
 * 1: the pairer waits for frames of this side; a caller that reads both streams asks this to know which.
 * After VMAFX_AGAIN at least one open side is wanted.
 */
VMAFX_API int vmafx_pairer_wants(const vmafx_pairer *pairer, vmafx_side side);

/** Counts so far. */
typedef struct vmafx_pairing_stats {
    uint32_t struct_size;          /**< sizeof(vmafx_pairing_stats) */
    uint64_t frames[2];            /**< pushed, by side */
    uint64_t pairs;
    uint64_t unpaired[2];          /**< by side */
    uint64_t undecided[2];         /**< pushed but not decided on, by side: a run that was stopped leaves them so */
    uint32_t first_unpaired_count[2]; /**< entries used below */
    uint64_t first_unpaired[2][8]; /**< numbers of the first unpaired frames */
    double largest_distance;       /**< of all pairs that have one, seconds; NaN: none has (left out of the log) */
    double start_offset;           /**< first reference time minus first distorted time, seconds */
    int start_offset_known;        /**< both sides had a first time stamp */
    double rate[2];                /**< frames per second by the time stamps, gaps apart, by side; NaN: unknown */
    int rates_differ;              /**< by time: the frames' times say so, after 8 frames of each side or at the end */
} vmafx_pairing_stats;

/** Fills `stats`. */
VMAFX_API void vmafx_pairer_stats(const vmafx_pairer *pairer, vmafx_pairing_stats *stats);

/* ------------------------------------------------------------------- report */

/**
 * Form of the log. A log is written as whole lines and a row is one line, so a run that was killed leaves all its
 * finished rows. To mend what it left, drop what follows the last line feed and append
 *   json: "]}" unless the last line begins with "]"
 *   xml:  the end tags of what is open, "</frames></VMAF>" among the rows
 *   ndjson, csv: nothing
 * Where nothing is left, the run ended before its first row, and the whole log is
 *   json: "{\"frames\":[]}"
 *   xml:  "<VMAF><frames></frames></VMAF>"
 *   ndjson, csv: empty
 */
typedef enum vmafx_log_format {
    VMAFX_FORMAT_JSON = 0,   /**< libvmaf's shape */
    VMAFX_FORMAT_NDJSON = 1, /**< one object per line; the last one is the summary */
    VMAFX_FORMAT_CSV = 2,    /**< header line and one line per pair, CRLF-free; no summary */
    VMAFX_FORMAT_XML = 3     /**< libvmaf's shape */
} vmafx_log_format;

/** VMAFX_OK and *format for "json", "ndjson", "csv", "xml"; else VMAFX_ERROR_INVALID and a text that lists them. */
VMAFX_API int vmafx_log_format_parse(const char *name, vmafx_log_format *format,
                                     vmafx_error *error);

/** Writes all `size` bytes; 0 or a negative number. The report stops writing after the first failure. */
typedef int (*vmafx_write_fn)(void *opaque, const void *data, size_t size);

/** A pair of strings for the log's "options". */
typedef struct vmafx_text_pair {
    const char *name;
    const char *value;
} vmafx_text_pair;

/** What a report starts from. Strings are copied. */
typedef struct vmafx_report_config {
    uint32_t struct_size;   /**< sizeof(vmafx_report_config) */
    vmafx_log_format format;
    vmafx_write_fn write;   /**< NULL: no log, pooling only */
    void *opaque;           /**< argument of write */
    size_t feature_count;
    const char *const *feature_names;
    const char *backend;
    const char *device;
    size_t option_count;
    const vmafx_text_pair *options;
} vmafx_report_config;

/** Pools rows and writes them as they come. Thread-safety: one thread. */
typedef struct vmafx_report vmafx_report;

/**
 * Makes a report. Nothing is written until the first row or vmafx_report_finish(), so that backend and
 * device may still be set. Each row is one call of `write`. Memory: 8 bytes per value and row (exact
 * percentiles). VMAFX_ERROR_INVALID: a name that XML cannot hold, with VMAFX_FORMAT_XML.
 */
VMAFX_API int vmafx_report_create(const vmafx_report_config *config, vmafx_report **report,
                                  vmafx_error *error);

/** Frees it without writing. NULL is allowed. */
VMAFX_API void vmafx_report_destroy(vmafx_report *report);

/** Replaces the backend's and device's names; no effect once something was written. */
VMAFX_API void vmafx_report_set_device(vmafx_report *report, const char *backend,
                                       const char *device);

/** One row. */
typedef struct vmafx_row {
    uint32_t struct_size;  /**< sizeof(vmafx_row) */
    uint64_t frame;        /**< number of the pair */
    double pts_time;       /**< seconds of the distorted frame; NaN: unknown (left out) */
    const double *values;  /**< feature_count of them; NaN: absent (left out) */
} vmafx_row;

/**
 * Adds and writes a row. VMAFX_ERROR_IO when the write function failed, now or before (pooling goes on).
 * VMAFX_ERROR_INVALID: an infinite value, or the report is finished; the row is not added.
 */
VMAFX_API int vmafx_report_row(vmafx_report *report, const vmafx_row *row, vmafx_error *error);

/** One stream, for the log. Strings may be NULL (left out). */
typedef struct vmafx_stream_info {
    uint32_t struct_size; /**< sizeof(vmafx_stream_info) */
    int width, height;
    const char *pix_fmt, *range, *matrix, *transfer;
    int32_t rate_num, rate_den; /**< 0/x: unknown */
    uint64_t frames;            /**< seen */
} vmafx_stream_info;

/** What is known at the end of a run. */
typedef struct vmafx_run_info {
    uint32_t struct_size;  /**< sizeof(vmafx_run_info) */
    double fps;            /**< pairs per second of wall time; the one field of a log that is not reproducible */
    vmafx_stream_info distorted, reference; /**< struct_size 0: left out */
    vmafx_pairing_stats pairing;            /**< struct_size 0: left out */
    size_t aggregate_count;
    const vmafx_text_pair *reserved; /**< NULL */
    const char *const *aggregate_names;
    const double *aggregate_values; /**< NaN: left out */
} vmafx_run_info;

/**
 * Writes the rest of the log (with no rows: a log with an empty list). Call once; `run` may be NULL: nothing is
 * known. VMAFX_ERROR_IO as above.
 */
VMAFX_API int vmafx_report_finish(vmafx_report *report, const vmafx_run_info *run,
                                  vmafx_error *error);

/**
 * Pooled values of a feature over its rows so far. Means are summed in row order in double;
 * percentile p of the sorted values v: t = p*(N-1)/100, v[floor(t)] + (t-floor(t))*(v[ceil(t)]-v[floor(t)]);
 * harmonic mean N/sum(1/(v+1)) - 1, NaN if any v <= -1.
 */
typedef struct vmafx_pooled {
    uint32_t struct_size; /**< sizeof(vmafx_pooled) */
    uint64_t count;       /**< rows that have the feature; with 0 the rest is NaN */
    double mean, harmonic_mean, min, max;
    uint64_t min_frame;   /**< first row with the smallest value */
    double min_time;      /**< its pts_time, NaN: unknown */
    double p1, p5, p50;
} vmafx_pooled;

/** Fills `pooled` for feature `index`; VMAFX_ERROR_INVALID past the end. */
VMAFX_API int vmafx_report_pool(const vmafx_report *report, size_t index, vmafx_pooled *pooled);

/**
 * Writes the stable summary line of feature `index`, terminated and cut to `size` bytes; returns the full length
 * as snprintf() does, or a negative vmafx_result. Form (one line, shortest round-trip decimals, fields
 * that are absent left out):
 *   NAME: mean=M harmonic_mean=H min=V min_frame=N min_time=T p1=A p5=B p50=C count=N
 */
VMAFX_API int vmafx_report_summary(const vmafx_report *report, size_t index, char *text,
                                   size_t size);

/**
 * Shortest decimal text that reads back to the same double (no exponent form for 1e-5 <= |v| < 1e17),
 * '.' in any locale, terminated; `text` needs 40 bytes. Not finite: "nan", "inf", "-inf". Returns the length.
 * Thread-safety: safe.
 */
VMAFX_API int vmafx_format_double(double value, char text[40]);

#ifdef __cplusplus
}
#endif
#endif
