#ifdef CCODECS_AVIF

#include "ccodecs_av1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

// libaom reports errors by return codes, so no longjmp must be caught here. It uses one thread, so that the same
// picture gives the same bytes and costs no more than requested.

// The speed, from 0 (best) to 9: 8 needs half the time of 7 and gives hardly more bytes.
enum { speed = 8 };

static ccodecs_code fail(aom_codec_ctx_t *encoder, aom_codec_err_t error, ccodecs_fault *fault) {
    const char *detail = encoder == NULL ? NULL : aom_codec_error_detail(encoder);
    snprintf(fault->message, sizeof fault->message, "%s", detail == NULL ? aom_codec_err_to_string(error) : detail);
    return error == AOM_CODEC_MEM_ERROR ? CCODECS_OUT_OF_MEMORY : CCODECS_UNSUPPORTED;
}

static aom_codec_err_t configure(aom_codec_ctx_t *encoder, const ccodecs_planes *picture, int quality) {
    aom_codec_enc_cfg_t config;
    aom_codec_err_t error = aom_codec_enc_config_default(aom_codec_av1_cx(), &config, AOM_USAGE_ALL_INTRA);
    if (error != AOM_CODEC_OK) return error;
    config.g_w = picture->width;
    config.g_h = picture->height;
    config.g_threads = 1;
    config.g_limit = 1;  // a still picture, with the short header for one
    config.g_lag_in_frames = 0;
    config.g_profile = picture->blue != NULL && picture->is_chroma_full ? 1 : 0;
    config.monochrome = picture->blue == NULL;
    config.rc_end_usage = AOM_Q;
    error = aom_codec_enc_init(encoder, aom_codec_av1_cx(), &config, 0);
    if (error != AOM_CODEC_OK) return error;
    const struct {
        int control;
        int value;
    } settings[] = {
        {AOME_SET_CPUUSED, speed},
        {AOME_SET_CQ_LEVEL, ((100 - quality) * 63 + 50) / 100},
        {AV1E_SET_COLOR_RANGE, AOM_CR_FULL_RANGE},
        {AV1E_SET_COLOR_PRIMARIES, AOM_CICP_CP_BT_709},
        {AV1E_SET_TRANSFER_CHARACTERISTICS, AOM_CICP_TC_SRGB},
        {AV1E_SET_MATRIX_COEFFICIENTS, AOM_CICP_MC_BT_601},
    };
    for (size_t index = 0; index < sizeof settings / sizeof *settings && error == AOM_CODEC_OK; index++) {
        error = aom_codec_control(encoder, settings[index].control, settings[index].value);
    }
    return error;
}

static void describe(const ccodecs_planes *picture, aom_image_t *image) {
    bool is_grey = picture->blue == NULL, is_full = !is_grey && picture->is_chroma_full;
    memset(image, 0, sizeof *image);
    // libaom only reads the planes.
    aom_img_wrap(image, is_full ? AOM_IMG_FMT_I444 : AOM_IMG_FMT_I420, picture->width, picture->height, 1,
                 (unsigned char *)picture->luma);
    image->planes[AOM_PLANE_Y] = (unsigned char *)picture->luma;
    image->planes[AOM_PLANE_U] = (unsigned char *)picture->blue;
    image->planes[AOM_PLANE_V] = (unsigned char *)picture->red;
    image->stride[AOM_PLANE_Y] = (int)picture->width;
    image->stride[AOM_PLANE_U] = image->stride[AOM_PLANE_V] = (int)(is_full ? picture->width : (picture->width + 1) / 2);
    image->range = AOM_CR_FULL_RANGE;
    image->monochrome = is_grey;
}

// Appends the encoder's output; false if there is no memory for it.
static bool collect(aom_codec_ctx_t *encoder, uint8_t **encoded, size_t *encoded_count) {
    aom_codec_iter_t iterator = NULL;
    const aom_codec_cx_pkt_t *packet;
    while ((packet = aom_codec_get_cx_data(encoder, &iterator)) != NULL) {
        if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
        uint8_t *longer = realloc(*encoded, *encoded_count + packet->data.frame.sz);
        if (longer == NULL) return false;
        memcpy(longer + *encoded_count, packet->data.frame.buf, packet->data.frame.sz);
        *encoded = longer;
        *encoded_count += packet->data.frame.sz;
    }
    return true;
}

ccodecs_code ccodecs_av1_encode(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                ccodecs_fault *fault) {
    aom_codec_ctx_t encoder;
    memset(&encoder, 0, sizeof encoder);
    aom_codec_err_t error = configure(&encoder, &picture, quality);
    aom_image_t image;
    describe(&picture, &image);
    bool has_memory = true;
    if (error == AOM_CODEC_OK) error = aom_codec_encode(&encoder, &image, 0, 1, 0);
    if (error == AOM_CODEC_OK) has_memory = collect(&encoder, encoded, encoded_count);
    if (error == AOM_CODEC_OK) error = aom_codec_encode(&encoder, NULL, 0, 1, 0);  // the end of the input
    if (error == AOM_CODEC_OK && has_memory) has_memory = collect(&encoder, encoded, encoded_count);
    ccodecs_code code = error == AOM_CODEC_OK ? CCODECS_OK : fail(encoder.iface == NULL ? NULL : &encoder, error, fault);
    if (encoder.iface != NULL) aom_codec_destroy(&encoder);
    return has_memory ? code : CCODECS_OUT_OF_MEMORY;
}

#endif
