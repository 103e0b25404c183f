#include "ccodecs_gif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

// giflib reports errors by return codes, so no longjmp must be caught here. DGifSlurp would decode every frame; this
// code reads records one by one up to the next picture.

struct ccodecs_gif_decoder {
    GifFileType *gif;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    bool ran_off_the_end;
    uint32_t unread_lines;  // of the current frame; giflib skips the rest of its data with its last line
    bool has_unread_data;
    // The offset of a byte that giflib should read as an 8; SIZE_MAX: none.
    size_t disguised;
};

static int on_read(GifFileType *gif, GifByteType *bytes, int count) {
    ccodecs_gif_decoder *decoder = gif->UserData;
    size_t left = decoder->count - decoder->offset;
    size_t wanted = count < 0 ? 0 : (size_t)count;
    if (wanted > left) {
        decoder->ran_off_the_end = true;
        wanted = left;
    }
    memcpy(bytes, decoder->bytes + decoder->offset, wanted);
    if (decoder->disguised >= decoder->offset && decoder->disguised - decoder->offset < wanted) {
        bytes[decoder->disguised - decoder->offset] = 8;
    }
    decoder->offset += wanted;
    return (int)wanted;
}

static ccodecs_code fail(const ccodecs_gif_decoder *decoder, int error, ccodecs_fault *fault) {
    const char *text = GifErrorString(error);
    snprintf(fault->message, sizeof fault->message, "%s", text == NULL ? "unknown fault" : text);
    if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return CCODECS_OUT_OF_MEMORY;
    return decoder->ran_off_the_end ? CCODECS_TRUNCATED : CCODECS_CORRUPT;
}

// Reads one extension with all its sub-blocks; a graphic control extension may specify a transparent index.
static int read_extension(ccodecs_gif_decoder *decoder, ccodecs_gif_info *info) {
    int label;
    GifByteType *block;
    if (DGifGetExtension(decoder->gif, &label, &block) == GIF_ERROR) return GIF_ERROR;
    while (block != NULL) {
        GraphicsControlBlock control;
        if (label == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
            info->transparent_index = control.TransparentColor;
            info->disposal = (uint32_t)control.DisposalMode;
            info->delay_centiseconds = (uint32_t)control.DelayTime;
        }
        if (DGifGetExtensionNext(decoder->gif, &block) == GIF_ERROR) return GIF_ERROR;
    }
    return GIF_OK;
}

// Sets the palette of a frame without a colour table: the first index is black, the last one white, and those between
// are evenly spaced greys. Two colours are therefore black and white, as the standard recommends (GIF89a, 18), and 256
// are as in other decoders. A code size of 2 is also used for one bit; the screen's descriptor then specifies the
// number of bits, whether or not there is a table.
static void set_greys(const ccodecs_gif_decoder *decoder, ccodecs_gif_info *info) {
    unsigned bits = decoder->bytes[decoder->offset - 1];
    if (bits <= 2) bits = (decoder->bytes[10] & 7) == 0 ? 1 : 2;
    if (bits > 8) bits = 8;
    unsigned last = (1u << bits) - 1;
    for (unsigned i = 0; i < 256; i++) memset(&info->palette[i * 3], i < last ? (int)(i * 255 / last) : 255, 3);
}

// giflib refuses a frame that announces indices of more than 8 bits, although they never have more. It reads 8 instead
// of the size, and must not decode the frame's pixels.
static bool disguise_wide_codes(ccodecs_gif_decoder *decoder) {
    size_t flags = decoder->offset + 8;
    if (flags >= decoder->count) return false;
    uint8_t bits = decoder->bytes[flags];
    size_t size = flags + 1 + (bits & 0x80 ? (size_t)3 << ((bits & 7) + 1) : 0);
    if (size >= decoder->count || decoder->bytes[size] < 9 || decoder->bytes[size] > 11) return false;
    decoder->disguised = size;
    return true;
}

static ccodecs_code read_frame(ccodecs_gif_decoder *decoder, ccodecs_gif_info *info, ccodecs_fault *fault) {
    GifFileType *gif = decoder->gif;
    info->has_wide_codes = disguise_wide_codes(decoder);
    if (DGifGetImageDesc(gif) == GIF_ERROR) return fail(decoder, gif->Error, fault);
    const ColorMapObject *colors = gif->Image.ColorMap != NULL ? gif->Image.ColorMap : gif->SColorMap;
    if (colors == NULL) set_greys(decoder, info);
    for (int i = 0; colors != NULL && i < colors->ColorCount && i < 256; i++) {
        info->palette[i * 3] = colors->Colors[i].Red;
        info->palette[i * 3 + 1] = colors->Colors[i].Green;
        info->palette[i * 3 + 2] = colors->Colors[i].Blue;
    }
    info->canvas_width = (uint32_t)gif->SWidth;
    info->canvas_height = (uint32_t)gif->SHeight;
    info->left = (uint32_t)gif->Image.Left;
    info->top = (uint32_t)gif->Image.Top;
    info->width = (uint32_t)gif->Image.Width;
    info->height = (uint32_t)gif->Image.Height;
    info->is_interlaced = gif->Image.Interlace;
    decoder->unread_lines = info->width > 0 ? info->height : 0;
    decoder->has_unread_data = true;
    return CCODECS_OK;
}

ccodecs_code ccodecs_gif_open(const uint8_t *bytes, size_t count, ccodecs_gif_decoder **result,
                              ccodecs_gif_info *info, ccodecs_fault *fault) {
    ccodecs_gif_decoder *decoder = calloc(1, sizeof *decoder);
    *result = decoder;  // the caller closes it, whatever the result is
    if (decoder == NULL) return CCODECS_OUT_OF_MEMORY;
    decoder->bytes = bytes;
    decoder->count = count;
    decoder->disguised = SIZE_MAX;
    memset(info, 0, sizeof *info);
    int error = 0;
    decoder->gif = DGifOpen(decoder, on_read, &error);
    if (decoder->gif == NULL) return fail(decoder, error, fault);
    bool has_frame = false;
    ccodecs_code code = ccodecs_gif_next(decoder, info, &has_frame, fault);
    return code == CCODECS_OK && !has_frame ? fail(decoder, D_GIF_ERR_NO_IMAG_DSCR, fault) : code;
}

static int skip_data(GifFileType *gif) {
    GifByteType *block;
    do {
        if (DGifGetCodeNext(gif, &block) == GIF_ERROR) return GIF_ERROR;
    } while (block != NULL);
    return GIF_OK;
}

ccodecs_code ccodecs_gif_next(ccodecs_gif_decoder *decoder, ccodecs_gif_info *info, bool *has_frame,
                              ccodecs_fault *fault) {
    if (decoder->has_unread_data && skip_data(decoder->gif) == GIF_ERROR) return fail(decoder, decoder->gif->Error, fault);
    decoder->has_unread_data = false;
    memset(info, 0, sizeof *info);
    info->transparent_index = NO_TRANSPARENT_COLOR;
    *has_frame = false;
    // The file's trailer may be missing.
    while (decoder->offset < decoder->count) {
        GifRecordType record;
        if (DGifGetRecordType(decoder->gif, &record) == GIF_ERROR) return fail(decoder, decoder->gif->Error, fault);
        if (record == TERMINATE_RECORD_TYPE) return CCODECS_OK;
        if (record == IMAGE_DESC_RECORD_TYPE) {
            *has_frame = true;
            return read_frame(decoder, info, fault);
        }
        if (record == EXTENSION_RECORD_TYPE && read_extension(decoder, info) == GIF_ERROR) {
            return fail(decoder, decoder->gif->Error, fault);
        }
    }
    return CCODECS_OK;
}

size_t ccodecs_gif_data_offset(const ccodecs_gif_decoder *decoder) { return decoder->offset; }

ccodecs_code ccodecs_gif_read_line(ccodecs_gif_decoder *decoder, uint8_t *indices, ccodecs_fault *fault) {
    if (DGifGetLine(decoder->gif, indices, decoder->gif->Image.Width) == GIF_OK) {
        if (decoder->unread_lines > 0 && --decoder->unread_lines == 0) decoder->has_unread_data = false;
        return CCODECS_OK;
    }
    return fail(decoder, decoder->gif->Error, fault);
}

void ccodecs_gif_close(ccodecs_gif_decoder *decoder) {
    if (decoder == NULL) return;
    int error;
    if (decoder->gif != NULL) DGifCloseFile(decoder->gif, &error);
    free(decoder);
}
