#include "ccodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

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
    (void)jpeg;  // libjpeg would print here
}

static void encode_rows(struct encoder *encoder, const uint8_t *pixels, ccodecs_layout layout, int quality) {
    struct jpeg_compress_struct *jpeg = &encoder->jpeg;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &encoder->bytes, &encoder->count);
    jpeg->image_width = layout.width;
    jpeg->image_height = layout.height;
    jpeg->input_components = (int)layout.channels;
    jpeg->in_color_space = layout.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);  // 4:2:0 for colour, standard Huffman tables, baseline
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    size_t stride = (size_t)layout.width * layout.channels;
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW rows[1] = {(JSAMPROW)(pixels + stride * jpeg->next_scanline)};  // libjpeg only reads them
        jpeg_write_scanlines(jpeg, rows, 1);
    }
    jpeg_finish_compress(jpeg);
}

ccodecs_code ccodecs_jpeg_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, uint8_t **encoded,
                                 size_t *encoded_count, ccodecs_fault *fault) {
    // On the heap, so that nothing that changes after setjmp lives in this frame.
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
        encode_rows(encoder, pixels, layout, quality);
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

void ccodecs_free(void *memory) {
    free(memory);
}
