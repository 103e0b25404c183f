#ifdef CCODECS_AVCODEC

#include "ccodecs_hevc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>

// libavcodec is loaded on first use rather than linked: it depends on a hundred libraries, which should not slow down
// the start of a program that decodes no HEIC. It reports errors by return values, so no longjmp must be caught here.

#define FUNCTIONS(each)                                                                                               \
    each(avcodec_find_decoder) each(avcodec_alloc_context3) each(avcodec_free_context) each(avcodec_open2)            \
    each(avcodec_default_get_buffer2) each(avcodec_send_packet) each(avcodec_receive_frame)                           \
    each(avcodec_flush_buffers) each(av_packet_alloc) each(av_packet_free) each(av_packet_unref) each(av_new_packet)  \
    each(av_frame_alloc) each(av_frame_free) each(av_mallocz) each(av_log_set_callback)

static struct {
#define DECLARE(name) __typeof__(name) *name;
    FUNCTIONS(DECLARE)
    bool is_loaded;
} library;

// The version whose headers this was compiled with: structures keep their layout as long as that number is the same.
#define QUOTED(text) #text
#ifdef __APPLE__
#define NAME(version) "libavcodec." QUOTED(version) ".dylib"
#else
#define NAME(version) "libavcodec.so." QUOTED(version)
#endif

// libavcodec only logs many errors; this records that it has logged one.
static _Thread_local bool has_complained;

static void listen(void *context, int level, const char *text, va_list arguments) {
    (void)context, (void)text, (void)arguments;
    if (level <= AV_LOG_WARNING) has_complained = true;
}

static void load(void) {
    void *handle = dlopen(NAME(LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return;
#define FIND(name)                                                                                                    \
    library.name = (__typeof__(library.name))dlsym(handle, #name);                                                    \
    if (library.name == NULL) return;
    FUNCTIONS(FIND)
    library.av_log_set_callback(listen);
    library.is_loaded = true;
}

struct ccodecs_avcodec {
    AVCodecContext *context;
    AVPacket *packet;
};

struct ccodecs_avcodec_frame {
    AVFrame *frame;
};

// The memory layout of the pixel formats that a coded picture may have.
struct format {
    enum AVPixelFormat number;
    uint32_t bits;
    uint32_t shift_across, shift_down;  // for colour differences
};

static const struct format formats[] = {
    {AV_PIX_FMT_YUV420P, 8, 1, 1},    {AV_PIX_FMT_YUVJ420P, 8, 1, 1},   {AV_PIX_FMT_YUV422P, 8, 1, 0},
    {AV_PIX_FMT_YUV444P, 8, 0, 0},    {AV_PIX_FMT_YUV420P10, 10, 1, 1}, {AV_PIX_FMT_YUV422P10, 10, 1, 0},
    {AV_PIX_FMT_YUV444P10, 10, 0, 0}, {AV_PIX_FMT_YUV420P12, 12, 1, 1}, {AV_PIX_FMT_YUV422P12, 12, 1, 0},
    {AV_PIX_FMT_YUV444P12, 12, 0, 0},
};

static const struct format *find_format(enum AVPixelFormat number) {
    for (size_t index = 0; index < sizeof formats / sizeof *formats; index++) {
        if (formats[index].number == number) return &formats[index];
    }
    return NULL;
}

// Chooses a format in main memory rather than in a graphics card's.
static enum AVPixelFormat get_format(AVCodecContext *context, const enum AVPixelFormat *numbers) {
    (void)context;
    while (*numbers != AV_PIX_FMT_NONE && find_format(*numbers) == NULL) numbers++;
    return *numbers;
}

// Reused buffers contain an older picture, which must not show through where nothing is decoded.
static int get_buffer(AVCodecContext *context, AVFrame *frame, int flags) {
    int result = library.avcodec_default_get_buffer2(context, frame, flags);
    const struct format *format = find_format(frame->format);
    for (int plane = 0; result >= 0 && plane < 3 && format != NULL; plane++) {
        int rows = plane == 0 ? frame->height : (frame->height + (int)format->shift_down) >> format->shift_down;
        memset(frame->data[plane], 0, (size_t)frame->linesize[plane] * (size_t)rows);
    }
    return result;
}

// Sets a configuration without parameter sets, which accompany each picture: it specifies that lengths have four bytes
// (ISO/IEC 14496-15, 8.3.3.1).
static bool configure(AVCodecContext *context) {
    enum { byte_count = 23, lengths = 21 };
    context->extradata = library.av_mallocz(byte_count + AV_INPUT_BUFFER_PADDING_SIZE);
    if (context->extradata == NULL) return false;
    context->extradata[0] = 1;
    context->extradata[lengths] = 3;
    context->extradata_size = byte_count;
    return true;
}

ccodecs_code ccodecs_avcodec_open(size_t max_pixels, ccodecs_avcodec **result) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *result = NULL;
    if (pthread_once(&once, load) != 0 || !library.is_loaded) return CCODECS_UNSUPPORTED;
    const AVCodec *hevc = library.avcodec_find_decoder(AV_CODEC_ID_HEVC);
    if (hevc == NULL) return CCODECS_UNSUPPORTED;
    ccodecs_avcodec *codec = calloc(1, sizeof *codec);
    *result = codec;  // the caller closes it, whatever the result is
    if (codec == NULL) return CCODECS_OUT_OF_MEMORY;
    AVCodecContext *context = codec->context = library.avcodec_alloc_context3(hevc);
    codec->packet = library.av_packet_alloc();
    if (context == NULL || codec->packet == NULL || !configure(context)) return CCODECS_OUT_OF_MEMORY;
    context->thread_count = 1;
    context->max_pixels = (int64_t)max_pixels;
    context->err_recognition = AV_EF_EXPLODE;
    context->flags = AV_CODEC_FLAG_UNALIGNED;  // otherwise cropping at the left is rounded
    context->get_buffer2 = get_buffer;
    context->get_format = get_format;
    return library.avcodec_open2(context, hevc, NULL) == 0 ? CCODECS_OK : CCODECS_UNSUPPORTED;
}

// Copies slices and parameter sets, each preceded by its length in four bytes; other units are not part of the picture.
static ccodecs_code pack(AVPacket *packet, const uint8_t *units, size_t count) {
    if (count > INT32_MAX / 2 || library.av_new_packet(packet, (int)count) != 0) return CCODECS_OUT_OF_MEMORY;
    size_t end = 0;
    for (size_t offset = 0, length; offset < count; offset += 4 + length) {
        const uint8_t *unit = units + offset;
        if (count - offset < 6) return CCODECS_CORRUPT;
        length = (size_t)unit[0] << 24 | (size_t)unit[1] << 16 | (size_t)unit[2] << 8 | unit[3];
        if (length < 2 || length > count - offset - 4) return CCODECS_CORRUPT;
        int type = unit[4] >> 1 & 63;  // below 32: a slice; 32 to 34: parameter sets (ITU-T H.265, table 7-1)
        if (type > 34) continue;
        memcpy(packet->data + end, unit, 4 + length);
        end += 4 + length;
    }
    memset(packet->data + end, 0, count - end);
    packet->size = (int)end;
    return CCODECS_OK;
}

static bool is_zero(const ccodecs_coded_plane *plane, uint32_t x, uint32_t y) {
    const uint8_t *row = plane->samples + y * plane->stride;
    return plane->bits == 8 ? row[x] == 0 : ((const uint16_t *)row)[x] == 0;
}

static uint32_t least(uint32_t left, uint32_t right) { return left < right ? left : right; }

// Whether a block of 8×8 pixels, the smallest coded size, still has the content from `get_buffer`. No picture has that
// colour, which is greener than any visible one.
static bool has_hole(const ccodecs_coded_plane planes[3], const struct format *format) {
    for (uint32_t top = 0; top < planes[0].height; top += 8) {
        uint32_t y = least(top + 4, planes[0].height - 1);
        for (uint32_t left = 0; left < planes[0].width; left += 8) {
            uint32_t x = least(left + 4, planes[0].width - 1);
            if (is_zero(&planes[1], x >> format->shift_across, y >> format->shift_down) &&
                is_zero(&planes[2], x >> format->shift_across, y >> format->shift_down) && is_zero(&planes[0], x, y)) {
                return true;
            }
        }
    }
    return false;
}

static ccodecs_code describe(const AVFrame *frame, ccodecs_coded_image *picture) {
    const struct format *format = find_format(frame->format);
    if (format == NULL || frame->width <= 0 || frame->height <= 0) return CCODECS_UNSUPPORTED;
    picture->plane_count = 3;
    for (int index = 0; index < 3; index++) {
        uint32_t across = index == 0 ? 0 : format->shift_across, down = index == 0 ? 0 : format->shift_down;
        picture->planes[index] = (ccodecs_coded_plane){
            .samples = frame->data[index],
            .stride = (size_t)frame->linesize[index],
            .width = ((uint32_t)frame->width + across) >> across,
            .height = ((uint32_t)frame->height + down) >> down,
            .bits = format->bits,
        };
    }
    picture->color.primaries = (uint16_t)frame->color_primaries;
    picture->color.transfer = (uint16_t)frame->color_trc;
    picture->color.matrix = (uint16_t)frame->colorspace;
    picture->color.is_full_range = frame->color_range == AVCOL_RANGE_JPEG;
    return has_hole(picture->planes, format) ? CCODECS_CORRUPT : CCODECS_OK;
}

static bool decode(ccodecs_avcodec *codec, AVFrame *frame) {
    has_complained = false;
    int result = library.avcodec_send_packet(codec->context, codec->packet);
    // The decoder delays a picture for others that might be shown before it, until it is notified that none follow.
    if (result == 0) result = library.avcodec_send_packet(codec->context, NULL);
    if (result == 0) result = library.avcodec_receive_frame(codec->context, frame);
    library.avcodec_flush_buffers(codec->context);
    return result == 0 && !has_complained;
}

ccodecs_code ccodecs_avcodec_decode(ccodecs_avcodec *codec, const uint8_t *units, size_t count,
                                    ccodecs_avcodec_frame **result, ccodecs_coded_image *picture) {
    ccodecs_avcodec_frame *frame = calloc(1, sizeof *frame);
    *result = frame;  // the caller closes it, whatever the result is
    if (frame == NULL || (frame->frame = library.av_frame_alloc()) == NULL) return CCODECS_OUT_OF_MEMORY;
    ccodecs_code code = pack(codec->packet, units, count);
    if (code == CCODECS_OK && !decode(codec, frame->frame)) code = CCODECS_CORRUPT;
    library.av_packet_unref(codec->packet);
    return code == CCODECS_OK ? describe(frame->frame, picture) : code;
}

void ccodecs_avcodec_release(ccodecs_avcodec_frame *frame) {
    if (frame == NULL) return;
    library.av_frame_free(&frame->frame);
    free(frame);
}

void ccodecs_avcodec_close(ccodecs_avcodec *codec) {
    if (codec == NULL) return;
    library.av_packet_free(&codec->packet);
    library.avcodec_free_context(&codec->context);
    free(codec);
}

#endif
