/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The whole road with the public header alone, in C: what a filter does. */
#include <vmafx/vmafx.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, error.text); \
            failures++;                                                         \
        }                                                                       \
    } while (0)

static vmafx_error error;
static char log_text[65536];
static size_t log_size;
static int released;

static int write_log(void *opaque, const void *data, size_t size)
{
    (void)opaque;
    if (size > sizeof(log_text) - 1 - log_size)
        return -1;
    memcpy(log_text + log_size, data, size);
    log_size += size;
    return 0;
}

static void release(void *opaque)
{
    ++*(int *)opaque;
}

static void set_picture(vmafx_picture *picture, const uint8_t *samples, int width, int height)
{
    memset(picture, 0, sizeof(*picture));
    picture->struct_size = sizeof(*picture);
    picture->width = width;
    picture->height = height;
    picture->layout = VMAFX_LAYOUT_GRAY;
    picture->depth = 8;
    picture->bytes_per_sample = 1;
    picture->plane[0].data = samples;
    picture->plane[0].stride = width;
    picture->plane[0].step = 1;
    picture->range = VMAFX_RANGE_FULL;
    picture->matrix = 2;
    picture->transfer = 2;
    picture->release = release;
    picture->opaque = &released;
}

int main(void)
{
    static uint8_t distorted[64 * 64], reference[64 * 64];
    const char *names[8];
    vmafx_session *session = NULL;
    vmafx_report *report = NULL;
    vmafx_report_config report_config;
    vmafx_run_info run;
    vmafx_pairing pairing;
    vmafx_pairer *pairer = vmafx_pairer_create(VMAFX_SYNC_TIME);
    vmafx_config *config = vmafx_config_create();
    char summary[256];
    size_t i;
    int frame;

    memset(distorted, 110, sizeof(distorted));
    memset(reference, 100, sizeof(reference));
    CHECK(vmafx_version() >= 0x000100);
    CHECK(vmafx_metric_count() > 0 && vmafx_metric_get(vmafx_metric_count()) == NULL);
    CHECK(!strcmp(vmafx_backend_get(0)->name, "cpu") && vmafx_backend_get(0)->built);

    CHECK(vmafx_config_set(config, "metrics", "psnr", &error) == VMAFX_OK);
    CHECK(vmafx_config_set(config, "psnr_chroma", "0", &error) == VMAFX_OK);
    CHECK(vmafx_session_create(config, &session, &error) == VMAFX_OK);
    vmafx_config_destroy(config);
    for (i = 0; i < vmafx_session_feature_count(session) && i < 8; i++)
        names[i] = vmafx_session_feature_name(session, i);
    CHECK(i == 1 && !strcmp(names[0], "psnr_y"));

    memset(&report_config, 0, sizeof(report_config));
    report_config.struct_size = sizeof(report_config);
    report_config.format = VMAFX_FORMAT_CSV;
    report_config.write = write_log;
    report_config.feature_count = i;
    report_config.feature_names = names;
    CHECK(vmafx_report_create(&report_config, &report, &error) == VMAFX_OK);

    for (frame = 0; frame < 3; frame++) {
        vmafx_time time = { frame, 1, 25 };
        CHECK(vmafx_pairer_push(pairer, VMAFX_DISTORTED, time, &error) == VMAFX_OK);
        CHECK(vmafx_pairer_push(pairer, VMAFX_REFERENCE, time, &error) == VMAFX_OK);
    }
    vmafx_pairer_end(pairer, VMAFX_DISTORTED);
    vmafx_pairer_end(pairer, VMAFX_REFERENCE);
    while (vmafx_pairer_next(pairer, &pairing) == VMAFX_OK) {
        vmafx_pair pair;
        vmafx_scores scores;
        vmafx_row row;
        CHECK(pairing.kind == VMAFX_PAIRED);
        memset(&pair, 0, sizeof(pair));
        pair.struct_size = sizeof(pair);
        pair.index = pairing.distorted;
        set_picture(&pair.distorted, distorted, 64, 64);
        set_picture(&pair.reference, reference, 64, 64);
        CHECK(vmafx_session_submit(session, &pair, &error) == VMAFX_OK);
        memset(&scores, 0, sizeof(scores));
        scores.struct_size = sizeof(scores);
        CHECK(vmafx_session_receive(session, 1, &scores, &error) == VMAFX_OK);
        CHECK(scores.count == 1 && fabs(scores.values[0] - 28.130803608679) < 1e-9);
        memset(&row, 0, sizeof(row));
        row.struct_size = sizeof(row);
        row.frame = scores.index;
        row.pts_time = (double)scores.index / 25;
        row.values = scores.values;
        CHECK(vmafx_report_row(report, &row, &error) == VMAFX_OK);
    }
    CHECK(released == 6);
    CHECK(!strcmp(vmafx_session_backend(session), "cpu"));

    memset(&run, 0, sizeof(run));
    run.struct_size = sizeof(run);
    run.pairing.struct_size = sizeof(run.pairing);
    vmafx_pairer_stats(pairer, &run.pairing);
    CHECK(run.pairing.pairs == 3);
    CHECK(vmafx_report_finish(report, &run, &error) == VMAFX_OK);
    log_text[log_size] = 0;
    CHECK(!strncmp(log_text, "Frame,pts_time,psnr_y\n0,0,28.1308036086", 39));
    CHECK(vmafx_report_summary(report, 0, summary, sizeof(summary)) > 0);
    CHECK(!strncmp(summary, "psnr_y: mean=28.1308036086", 26));

    vmafx_report_destroy(report);
    vmafx_pairer_destroy(pairer);
    vmafx_session_destroy(session);
    return failures != 0;
}
