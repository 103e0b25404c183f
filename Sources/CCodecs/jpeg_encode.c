#include "ccodecs_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct encoder {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    ccodecs_fault *fault;
    unsigned char *bytes;
    unsigned long count;
};

static void on_error(j_common_ptr jpeg) {
    struct encoder *encoder = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    snprintf(encoder->fault->message, sizeof encoder->fault->message, "%s", text);
    longjmp(encoder->escape, 1);
}

static void on_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void on_output(j_common_ptr jpeg) {
    (void)jpeg;  // libjpeg would print here by default
}

// The image to be encoded: interleaved rows, or planes.
struct source {
    const uint8_t *pixels;
    ccodecs_layout layout;
    ccodecs_planes planes;
    uint8_t *band;  // a buffer for a band of padded planes
    int quality;
    bool is_progressive;
    bool is_chroma_full;  // 4:4:4 rather than 4:2:0
};

static void start(struct encoder *encoder, const struct source *source, J_COLOR_SPACE color_space) {
    struct jpeg_compress_struct *jpeg = &encoder->jpeg;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &encoder->bytes, &encoder->count);
    jpeg->image_width = source->layout.width;
    jpeg->image_height = source->layout.height;
    jpeg->input_components = (int)source->layout.channels;
    jpeg->in_color_space = color_space;
    jpeg_set_defaults(jpeg);  // 4:2:0 for colour, standard Huffman tables, baseline
    if (source->is_chroma_full) jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    jpeg_set_quality(jpeg, source->quality, TRUE);
    if (source->is_progressive) jpeg_simple_progression(jpeg);
}

static void encode_rows(struct encoder *encoder, const struct source *source) {
    struct jpeg_compress_struct *jpeg = &encoder->jpeg;
    start(encoder, source, source->layout.channels == 1 ? JCS_GRAYSCALE : JCS_RGB);
    jpeg_start_compress(jpeg, TRUE);
    size_t stride = (size_t)source->layout.width * source->layout.channels;
    while (jpeg->next_scanline < jpeg->image_height) {
        // libjpeg only reads the rows.
        JSAMPROW rows[1] = {(JSAMPROW)(source->pixels + stride * jpeg->next_scanline)};
        jpeg_write_scanlines(jpeg, rows, 1);
    }
    jpeg_finish_compress(jpeg);
}

// Copies rows of a plane to a buffer of whole blocks; the last samples are repeated beyond the edges.
static uint8_t *pad_rows(const uint8_t *plane, size_t width, size_t height, size_t first, uint8_t *padded,
                         JSAMPROW *rows, size_t row_count) {
    size_t stride = (width + DCTSIZE - 1) / DCTSIZE * DCTSIZE;
    for (size_t i = 0; i < row_count; i++, padded += stride) {
        size_t row = first + i < height ? first + i : height - 1;
        memcpy(padded, plane + row * width, width);
        memset(padded + width, padded[width - 1], stride - width);
        rows[i] = padded;
    }
    return padded;
}

static void encode_planes(struct encoder *encoder, const struct source *source) {
    struct jpeg_compress_struct *jpeg = &encoder->jpeg;
    const ccodecs_planes *planes = &source->planes;
    bool is_grey = source->layout.channels == 1;
    start(encoder, source, is_grey ? JCS_GRAYSCALE : JCS_YCbCr);
    jpeg->raw_data_in = TRUE;
    jpeg_start_compress(jpeg, TRUE);
    size_t divisor = planes->is_chroma_full ? 1 : 2;
    size_t luma_rows = is_grey ? DCTSIZE : divisor * DCTSIZE;
    size_t width = (planes->width + divisor - 1) / divisor, height = (planes->height + divisor - 1) / divisor;
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW luma[2 * DCTSIZE], blue[DCTSIZE], red[DCTSIZE];
        JSAMPARRAY rows[3] = {luma, blue, red};
        size_t first = jpeg->next_scanline;
        uint8_t *end =
            pad_rows(planes->luma, planes->width, planes->height, first, source->band, luma, luma_rows);
        if (!is_grey) {
            end = pad_rows(planes->blue, width, height, first / divisor, end, blue, DCTSIZE);
            pad_rows(planes->red, width, height, first / divisor, end, red, DCTSIZE);
        }
        jpeg_write_raw_data(jpeg, rows, (JDIMENSION)luma_rows);
    }
    jpeg_finish_compress(jpeg);
}

static ccodecs_code encode(void (*write)(struct encoder *, const struct source *), const struct source *source,
                           uint8_t **encoded, size_t *encoded_count, ccodecs_fault *fault) {
    // On the heap, so that no variable that changes after setjmp is in this frame.
    struct encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return CCODECS_OUT_OF_MEMORY;
    encoder->fault = fault;
    encoder->jpeg.err = jpeg_std_error(&encoder->errors);
    encoder->errors.error_exit = on_error;
    encoder->errors.emit_message = on_message;
    encoder->errors.output_message = on_output;
    encoder->jpeg.client_data = encoder;
    ccodecs_code code = CCODECS_OK;
    if (setjmp(encoder->escape) == 0) {
        write(encoder, source);
        *encoded = encoder->bytes;
        *encoded_count = encoder->count;
        encoder->bytes = NULL;
    } else {
        code = encoder->errors.msg_code == JERR_OUT_OF_MEMORY ? CCODECS_OUT_OF_MEMORY : CCODECS_UNSUPPORTED;
    }
    jpeg_destroy_compress(&encoder->jpeg);
    free(encoder->bytes);
    free(encoder);
    return code;
}

ccodecs_code ccodecs_jpeg_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, bool is_progressive,
                                 bool is_chroma_full, uint8_t **encoded, size_t *encoded_count, ccodecs_fault *fault) {
    struct source source = {
        .pixels = pixels, .layout = layout, .quality = quality, .is_progressive = is_progressive,
        .is_chroma_full = is_chroma_full && layout.channels == 3,
    };
    return encode(encode_rows, &source, encoded, encoded_count, fault);
}

ccodecs_code ccodecs_jpeg_encode_planes(ccodecs_planes picture, int quality, bool is_progressive, uint8_t **encoded,
                                        size_t *encoded_count, ccodecs_fault *fault) {
    // Sixteen rows of luma and eight of each colour difference, with their last blocks completed; or eight rows of
    // each, as wide as luma, which is less.
    size_t luma_stride = (size_t)picture.width + DCTSIZE, chroma_stride = (size_t)picture.width / 2 + 1 + DCTSIZE;
    uint8_t *band = malloc(2 * DCTSIZE * luma_stride + 2 * DCTSIZE * chroma_stride);
    if (band == NULL) return CCODECS_OUT_OF_MEMORY;
    ccodecs_layout layout = {picture.width, picture.height, picture.blue == NULL ? 1 : 3};
    struct source source = {
        .layout = layout, .planes = picture, .band = band, .quality = quality, .is_progressive = is_progressive,
        .is_chroma_full = picture.is_chroma_full && picture.blue != NULL,
    };
    ccodecs_code code = encode(encode_planes, &source, encoded, encoded_count, fault);
    free(band);
    return code;
}

void ccodecs_free(void *memory) {
    free(memory);
}
