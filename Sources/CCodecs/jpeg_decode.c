#include "ccodecs_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct ccodecs_jpeg_decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    const uint8_t *bytes;
    jmp_buf escape;
    ccodecs_fault *fault;  // of the call in progress
    ccodecs_code code;     // the reason for the jump to `escape`
    ccodecs_jpeg_warnings warnings;
    int max_scans;
    // The minimum coded units without data in the scan `loss_scan`: their number, and the unit up to which they were
    // counted.
    int loss_scan;
    uint64_t lost_units;
    uint64_t loss_end;
};

static ccodecs_code code_of_error(const ccodecs_jpeg_decoder *decoder, int message) {
    switch (message) {
    case JERR_OUT_OF_MEMORY:
        return CCODECS_OUT_OF_MEMORY;
    case JERR_NO_BACKING_STORE:
    case JERR_WIDTH_OVERFLOW:
        return CCODECS_TOO_MUCH_MEMORY;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
        return CCODECS_UNSUPPORTED;
    default:
        // Any error after a read beyond the end is a consequence of that.
        return decoder->warnings.truncated > 0 ? CCODECS_TRUNCATED : CCODECS_CORRUPT;
    }
}

static void on_error(j_common_ptr jpeg) {
    ccodecs_jpeg_decoder *decoder = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    snprintf(decoder->fault->message, sizeof decoder->fault->message, "%s", text);
    decoder->code = code_of_error(decoder, jpeg->err->msg_code);
    longjmp(decoder->escape, 1);
}

// Counts the units without data after a segment that ended too early, or a missing restart marker, up to the next
// restart. libjpeg reports the row where that happened; its middle is used.
static void note_loss(ccodecs_jpeg_decoder *decoder, bool is_whole_interval) {
    const struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    if (jpeg->Ah != 0) return;  // the loss of a further bit of precision is hardly visible
    if (decoder->loss_scan != jpeg->input_scan_number) {
        decoder->loss_scan = jpeg->input_scan_number;
        decoder->lost_units = decoder->loss_end = 0;
    }
    uint64_t total = (uint64_t)jpeg->MCUs_per_row * jpeg->MCU_rows_in_scan, rows = jpeg->total_iMCU_rows;
    if (total == 0 || rows == 0) return;
    uint64_t interval = jpeg->restart_interval > 0 ? jpeg->restart_interval : total;
    uint64_t place = total * (2 * (uint64_t)jpeg->input_iMCU_row + 1) / (2 * rows);
    uint64_t start = is_whole_interval ? place / interval * interval : place;
    uint64_t end = (start / interval + 1) * interval;
    if (start < decoder->loss_end) start = decoder->loss_end;
    if (end > total) end = total;
    if (end <= start) return;
    decoder->lost_units += end - start;
    decoder->loss_end = end;
    uint32_t permille = (uint32_t)(decoder->lost_units * 1000 / total);
    if (permille > decoder->warnings.lost_permille) decoder->warnings.lost_permille = permille;
}

// Whether the skipped bytes are zeros, with which encoders fill up words, or precede the first scan.
static bool is_padding(const struct jpeg_decompress_struct *jpeg, int count) {
    const ccodecs_jpeg_decoder *decoder = jpeg->client_data;
    const JOCTET *end = jpeg->src->next_input_byte;
    if (jpeg->input_scan_number == 0) return true;
    if (count < 0 || end - decoder->bytes < count) return false;
    for (const JOCTET *byte = end - count; byte < end; byte++) {
        if (*byte != 0) return false;
    }
    return true;
}

static void on_message(j_common_ptr jpeg, int level) {
    ccodecs_jpeg_decoder *decoder = jpeg->client_data;
    if (level >= 0) return;  // a trace, not a warning
    switch (jpeg->err->msg_code) {
    case JWRN_JPEG_EOF:
        decoder->warnings.truncated++;
        break;
    case JWRN_ARITH_BAD_CODE:  // libjpeg then decodes nothing up to the next restart
    case JWRN_HIT_MARKER:
    case JWRN_MUST_RESYNC:
        note_loss(decoder, jpeg->err->msg_code == JWRN_MUST_RESYNC);
        decoder->warnings.damaged++;
        break;
    case JWRN_HUFF_BAD_CODE:
        decoder->warnings.damaged++;
        break;
    case JWRN_EXTRANEOUS_DATA:
        if (!is_padding(&decoder->jpeg, jpeg->err->msg_parm.i[0])) decoder->warnings.damaged++;
        break;
    default:
        break;  // irregularities that do not affect the pixels
    }
}

static void on_output(j_common_ptr jpeg) {
    (void)jpeg;  // libjpeg would print here by default
}

static void on_progress(j_common_ptr jpeg) {
    ccodecs_jpeg_decoder *decoder = jpeg->client_data;
    if (decoder->jpeg.input_scan_number <= decoder->max_scans) return;
    snprintf(decoder->fault->message, sizeof decoder->fault->message, "more than %d scans", decoder->max_scans);
    decoder->code = CCODECS_TOO_MANY_SCANS;
    longjmp(decoder->escape, 1);
}

static ccodecs_code choose_color_space(ccodecs_jpeg_decoder *decoder, ccodecs_fault *fault) {
    switch (decoder->jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE:
        decoder->jpeg.out_color_space = JCS_GRAYSCALE;
        return CCODECS_OK;
    case JCS_YCbCr:
    case JCS_RGB:
        decoder->jpeg.out_color_space = JCS_RGB;
        return CCODECS_OK;
    case JCS_CMYK:
    case JCS_YCCK:
        decoder->jpeg.out_color_space = JCS_CMYK;
        return CCODECS_OK;
    default:
        snprintf(fault->message, sizeof fault->message, "%d colour components", decoder->jpeg.num_components);
        return CCODECS_UNSUPPORTED;
    }
}

ccodecs_code ccodecs_jpeg_open(const uint8_t *bytes, size_t count, size_t max_memory_bytes, int max_scans,
                               ccodecs_jpeg_decoder **result, ccodecs_jpeg_info *info, ccodecs_fault *fault) {
    ccodecs_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever the result is
    if (decoder == NULL) return CCODECS_OUT_OF_MEMORY;
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    decoder->bytes = bytes;
    decoder->max_scans = max_scans;
    decoder->fault = fault;
    jpeg->err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = on_error;
    decoder->errors.emit_message = on_message;
    decoder->errors.output_message = on_output;
    decoder->progress.progress_monitor = on_progress;
    jpeg->client_data = decoder;
    if (setjmp(decoder->escape)) return decoder->code;
    jpeg_create_decompress(jpeg);
    jpeg->progress = &decoder->progress;
    jpeg->mem->max_memory_to_use = (long)max_memory_bytes;
    jpeg_mem_src(jpeg, bytes, count);
    jpeg_read_header(jpeg, TRUE);
    info->width = jpeg->image_width;
    info->height = jpeg->image_height;
    info->is_planar = jpeg->jpeg_color_space == JCS_GRAYSCALE || jpeg->jpeg_color_space == JCS_YCbCr;
    info->is_cmyk = jpeg->num_components == 4;
    info->is_inverted = jpeg->saw_Adobe_marker;
    return choose_color_space(decoder, fault);
}

ccodecs_code ccodecs_jpeg_start(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_layout *layout,
                                ccodecs_fault *fault) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return decoder->code;
    jpeg->scale_num = (unsigned)eighths;
    jpeg->scale_denom = 8;
    jpeg_start_decompress(jpeg);
    layout->width = jpeg->output_width;
    layout->height = jpeg->output_height;
    layout->channels = (uint32_t)jpeg->output_components;
    return CCODECS_OK;
}

ccodecs_code ccodecs_jpeg_read_row(ccodecs_jpeg_decoder *decoder, uint8_t *row, ccodecs_fault *fault) {
    JSAMPROW rows[1] = {row};
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return decoder->code;
    if (jpeg_read_scanlines(&decoder->jpeg, rows, 1) == 1) return CCODECS_OK;
    snprintf(fault->message, sizeof fault->message, "no more rows");
    return CCODECS_CORRUPT;
}

static void describe_plane(const jpeg_component_info *component, ccodecs_jpeg_plane *plane) {
    plane->horizontal = (uint32_t)component->h_samp_factor;
    plane->vertical = (uint32_t)component->v_samp_factor;
    plane->eighths = (uint32_t)component->DCT_scaled_size;
    plane->stride = component->width_in_blocks * plane->eighths;
    plane->band_rows = plane->vertical * plane->eighths;
}

ccodecs_code ccodecs_jpeg_start_planes(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_jpeg_planes *layout,
                                       ccodecs_fault *fault) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return decoder->code;
    jpeg->scale_num = (unsigned)eighths;
    jpeg->scale_denom = 8;
    jpeg->out_color_space = jpeg->jpeg_color_space;
    jpeg->raw_data_out = TRUE;
    jpeg_start_decompress(jpeg);
    layout->count = (uint32_t)jpeg->num_components;
    layout->band_count = jpeg->total_iMCU_rows;
    for (int i = 0; i < jpeg->num_components; i++) describe_plane(&jpeg->comp_info[i], &layout->planes[i]);
    return CCODECS_OK;
}

ccodecs_code ccodecs_jpeg_read_band(ccodecs_jpeg_decoder *decoder, uint8_t *samples, ccodecs_fault *fault) {
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    for (int i = 0; i < jpeg->num_components; i++) {
        ccodecs_jpeg_plane plane;
        describe_plane(&jpeg->comp_info[i], &plane);
        for (uint32_t y = 0; y < plane.band_rows; y++, samples += plane.stride) rows[i][y] = samples;
    }
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return decoder->code;
    JDIMENSION lines = (JDIMENSION)(jpeg->max_v_samp_factor * jpeg->min_DCT_scaled_size);
    if (jpeg_read_raw_data(jpeg, planes, lines) == lines) return CCODECS_OK;
    snprintf(fault->message, sizeof fault->message, "no more rows");
    return CCODECS_CORRUPT;
}

ccodecs_code ccodecs_jpeg_finish(ccodecs_jpeg_decoder *decoder, ccodecs_jpeg_warnings *warnings,
                                 ccodecs_fault *fault) {
    decoder->fault = fault;
    if (setjmp(decoder->escape)) return decoder->code;
    jpeg_finish_decompress(&decoder->jpeg);
    *warnings = decoder->warnings;
    return CCODECS_OK;
}

void ccodecs_jpeg_close(ccodecs_jpeg_decoder *decoder) {
    if (decoder == NULL) return;
    jpeg_destroy_decompress(&decoder->jpeg);  // cannot fail; does nothing before the creation
    free(decoder);
}
