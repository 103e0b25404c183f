// Fences around libjpeg, libpng, giflib, lcms2, zlib and, where they are, libwebp, libde265, libdav1d and libavcodec.
//
// libjpeg and libpng report errors by longjmp, which must never cross a Swift frame. Every function here runs
// one sequence of library calls under its own setjmp and returns a code; the caller's `ccodecs_fault` says why.
// Nothing here decides what is acceptable: limits come from the caller, warnings are counted and handed back.
// Nothing is ever printed. A decoder borrows the bytes it was opened on: they must outlive it. A decoder is used
// by one thread at a time; different decoders share nothing.
#ifndef CCODECS_H
#define CCODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((enum_extensibility(closed))) ccodecs_code {
    CCODECS_OK = 0,
    CCODECS_CORRUPT,          // the data breaks its format's rules
    CCODECS_TRUNCATED,        // the library asked for bytes beyond the end
    CCODECS_UNSUPPORTED,      // well formed, but of a kind that the library does not handle
    CCODECS_TOO_MANY_SCANS,   // more scans than the caller allows (JPEG)
    CCODECS_TOO_MUCH_MEMORY,  // more working memory than the caller allows
    CCODECS_OUT_OF_MEMORY,    // the system has no memory left
} ccodecs_code;

// What went wrong, in the library's own words: NUL-terminated, empty when nothing did.
typedef struct ccodecs_fault {
    char message[200];
} ccodecs_fault;

// How the rows of a decoded image are laid out: `channels` interleaved bytes a pixel.
typedef struct ccodecs_layout {
    uint32_t width;
    uint32_t height;
    uint32_t channels;
} ccodecs_layout;

// MARK: JPEG

typedef struct ccodecs_jpeg_decoder ccodecs_jpeg_decoder;

// Warnings so far. libjpeg goes on after each of them, with grey or repeated blocks where data is missing.
typedef struct ccodecs_jpeg_warnings {
    uint32_t truncated;      // ran off the end
    uint32_t damaged;        // impossible codes, segments with too few bytes or too many, lost synchronisation
    uint32_t lost_permille;  // about how much of the image had no data, of the scan that lacks most
} ccodecs_jpeg_warnings;

typedef struct ccodecs_jpeg_info {
    uint32_t width;   // as stored, before scaling
    uint32_t height;
    bool is_planar;   // grey or YCbCr: can be read as planes
    bool is_cmyk;     // rows will have four channels: cyan, magenta, yellow, black
    bool is_inverted; // an Adobe marker is there: CMYK samples are stored as 255 - ink
} ccodecs_jpeg_info;

// Reads the header. `max_memory_bytes` bounds the whole-image arrays of multi-scan files.
ccodecs_code ccodecs_jpeg_open(const uint8_t *bytes, size_t count, size_t max_memory_bytes, int max_scans,
                               ccodecs_jpeg_decoder **decoder, ccodecs_jpeg_info *info, ccodecs_fault *fault);
// Starts decoding at `eighths`/8 of the stored size. Rows have 1 (grey), 3 (RGB) or 4 (CMYK) channels.
ccodecs_code ccodecs_jpeg_start(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_layout *layout,
                                ccodecs_fault *fault);
// Reads the next row: `width * channels` bytes.
ccodecs_code ccodecs_jpeg_read_row(ccodecs_jpeg_decoder *decoder, uint8_t *row, ccodecs_fault *fault);

// A component as it is stored: one or three of them, luma first.
typedef struct ccodecs_jpeg_plane {
    uint32_t horizontal;  // sampling factors: the share of the largest ones is the share of the image's pixels
    uint32_t vertical;
    uint32_t eighths;     // its scale, which may be larger than the one asked for where it is subsampled
    uint32_t stride;      // samples a row, of which the last ones may lie beyond the image
    uint32_t band_rows;   // rows a band
} ccodecs_jpeg_plane;

typedef struct ccodecs_jpeg_planes {
    uint32_t count;
    uint32_t band_count;
    ccodecs_jpeg_plane planes[3];
} ccodecs_jpeg_planes;

// Starts decoding a planar image at `eighths`/8 of the stored size, to bands of rows.
ccodecs_code ccodecs_jpeg_start_planes(ccodecs_jpeg_decoder *decoder, int eighths, ccodecs_jpeg_planes *layout,
                                       ccodecs_fault *fault);
// Reads the next band: of each plane `stride * band_rows` samples, one plane behind the other.
ccodecs_code ccodecs_jpeg_read_band(ccodecs_jpeg_decoder *decoder, uint8_t *samples, ccodecs_fault *fault);

// Reads on to the end marker, after the last row or band.
ccodecs_code ccodecs_jpeg_finish(ccodecs_jpeg_decoder *decoder, ccodecs_jpeg_warnings *warnings,
                                 ccodecs_fault *fault);
void ccodecs_jpeg_close(ccodecs_jpeg_decoder *decoder);

// Encodes a JPEG, baseline or progressive: grey for one channel, 4:2:0 or 4:4:4 for three (RGB). `*encoded` is freed by
// ccodecs_free.
ccodecs_code ccodecs_jpeg_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, bool is_progressive,
                                 bool is_chroma_full, uint8_t **encoded, size_t *encoded_count, ccodecs_fault *fault);

// An image as planes, row by row: luma, and colour differences with as many samples, or half as many a side, rounded up.
typedef struct ccodecs_planes {
    const uint8_t *luma;
    const uint8_t *blue;  // NULL: a grey image
    const uint8_t *red;
    uint32_t width;
    uint32_t height;
    bool is_chroma_full;
} ccodecs_planes;

// Encodes a JPEG from planes: grey, 4:2:0 or 4:4:4. `*encoded` is freed by ccodecs_free.
ccodecs_code ccodecs_jpeg_encode_planes(ccodecs_planes picture, int quality, bool is_progressive, uint8_t **encoded,
                                        size_t *encoded_count, ccodecs_fault *fault);

// MARK: AV1 (where libaom is)

// Encodes an image as AV1's open bitstream units, a temporal delimiter first: grey, 4:2:0 or 4:4:4; sRGB by BT.601's
// matrix, in the full range. `*encoded` is freed by ccodecs_free, whatever is returned.
ccodecs_code ccodecs_av1_encode(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                ccodecs_fault *fault);

// MARK: PNG

typedef struct ccodecs_png_decoder ccodecs_png_decoder;

typedef struct ccodecs_png_info {
    ccodecs_layout layout;
    uint8_t bits;  // of a sample: 8, or 16 where that is asked for
    bool is_interlaced;
} ccodecs_png_info;

// Reads the header. Rows have 8 bits a channel: 1 (grey), 3 (RGB) or 4 (RGBA, alpha not premultiplied). With `is_deep`
// 16 bits remain 16, the upper byte first, and grey becomes RGB. Packed data is read in steps of `step_bytes` (0: as the
// library likes): of a file that was cut, those before the last step are read.
ccodecs_code ccodecs_png_open(const uint8_t *bytes, size_t count, uint32_t max_width, uint32_t max_height,
                              size_t max_chunk_bytes, size_t step_bytes, bool is_deep,
                              ccodecs_png_decoder **decoder, ccodecs_png_info *info, ccodecs_fault *fault);
// Reads the next row of an image that is not interlaced.
ccodecs_code ccodecs_png_read_row(ccodecs_png_decoder *decoder, uint8_t *row, ccodecs_fault *fault);
// Reads all rows of an image, interlaced or not, into `width * channels * bits / 8 * height` bytes.
ccodecs_code ccodecs_png_read_all(ccodecs_png_decoder *decoder, uint8_t *pixels, ccodecs_fault *fault);
// Reads on to the end chunk, after the last row.
ccodecs_code ccodecs_png_finish(ccodecs_png_decoder *decoder, ccodecs_fault *fault);
void ccodecs_png_close(ccodecs_png_decoder *decoder);

// Encodes an 8-bit PNG of 1 (grey), 3 (RGB) or 4 (RGBA) channels. `*encoded` is freed by ccodecs_free.
ccodecs_code ccodecs_png_encode(const uint8_t *pixels, ccodecs_layout layout, uint8_t **encoded,
                                size_t *encoded_count, ccodecs_fault *fault);

// MARK: GIF

typedef struct ccodecs_gif_decoder ccodecs_gif_decoder;

// A frame and the canvas it stands on.
typedef struct ccodecs_gif_info {
    uint32_t canvas_width, canvas_height;
    uint32_t left, top, width, height;
    bool is_interlaced;
    bool has_wide_codes;  // its indices are said to have 9 to 11 bits: rows cannot be read, but by whoever reads the data
    int32_t transparent_index;  // -1: none
    uint32_t disposal;          // 2: its area is cleared after it was shown; 3: what was there comes back
    uint32_t delay_centiseconds;
    uint8_t palette[256 * 3];   // RGB; black beyond the colours that the file gives
} ccodecs_gif_info;

// Reads up to the first frame's pixels.
ccodecs_code ccodecs_gif_open(const uint8_t *bytes, size_t count, ccodecs_gif_decoder **decoder,
                              ccodecs_gif_info *info, ccodecs_fault *fault);
// Reads up to the next frame's pixels, once all lines of the last one were read. `info` is what it was.
ccodecs_code ccodecs_gif_next(ccodecs_gif_decoder *decoder, ccodecs_gif_info *info, bool *has_frame,
                              ccodecs_fault *fault);
// Where the frame's first block of data begins, as long as no line of it has been read.
size_t ccodecs_gif_data_offset(const ccodecs_gif_decoder *decoder);
// Reads the frame's next stored line: `width` palette indices, in stored (perhaps interlaced) order.
ccodecs_code ccodecs_gif_read_line(ccodecs_gif_decoder *decoder, uint8_t *indices, ccodecs_fault *fault);
void ccodecs_gif_close(ccodecs_gif_decoder *decoder);

// MARK: WebP (where libwebp is)

// Decodes a still image, or an animation's frame without its ANMF header, scaled to `layout` from the size `stored`,
// which must be its own. With three channels RGB; with four premultiplied RGBA; with one the planes of a lossy
// image, one behind the other: luma, and two colour differences with half as many samples a side, rounded up, all in
// the narrow range of ITU-R BT.601 (16 to 235, 16 to 240).
ccodecs_code ccodecs_webp_decode(const uint8_t *bytes, size_t count, ccodecs_layout stored, ccodecs_layout layout,
                                 uint8_t *samples, ccodecs_fault *fault);

// Encodes a lossy image of three (RGB) or four channels (RGBA, alpha not premultiplied). `*encoded` is freed by
// ccodecs_free.
ccodecs_code ccodecs_webp_encode(const uint8_t *pixels, ccodecs_layout layout, int quality, uint8_t **encoded,
                                 size_t *encoded_count, ccodecs_fault *fault);
// The same from planes in the narrow range, none of which is NULL.
ccodecs_code ccodecs_webp_encode_planes(ccodecs_planes picture, int quality, uint8_t **encoded, size_t *encoded_count,
                                        ccodecs_fault *fault);

typedef struct ccodecs_webp_animation ccodecs_webp_animation;

// Begins an animation of three or four channels, shown so many times; 0 is for ever.
ccodecs_code ccodecs_webp_animation_open(ccodecs_layout layout, int quality, int loop_count,
                                         ccodecs_webp_animation **animation);
// Adds a whole image that is shown from some milliseconds after the beginning on.
ccodecs_code ccodecs_webp_animation_add(ccodecs_webp_animation *animation, const uint8_t *pixels, int milliseconds,
                                        ccodecs_fault *fault);
// Ends the animation so long after its beginning. `*encoded` is freed by ccodecs_free.
ccodecs_code ccodecs_webp_animation_finish(ccodecs_webp_animation *animation, int milliseconds, uint8_t **encoded,
                                           size_t *encoded_count, ccodecs_fault *fault);
void ccodecs_webp_animation_close(ccodecs_webp_animation *animation);

// MARK: What HEICs and AVIFs consist of (where libde265 and libdav1d are)

// Samples of one kind: of one byte up to 8 bits, else of two in the machine's order.
typedef struct ccodecs_coded_plane {
    const uint8_t *samples;
    size_t stride;  // bytes a row
    uint32_t width;
    uint32_t height;
    uint32_t bits;
} ccodecs_coded_plane;

// What a coded image says of its colours, in the numbers of ITU-T H.273.
typedef struct ccodecs_coded_color {
    uint16_t primaries;
    uint16_t transfer;
    uint16_t matrix;
    bool is_full_range;
} ccodecs_coded_color;

// An image as its decoder holds it, until that is closed.
typedef struct ccodecs_coded_image {
    ccodecs_coded_plane planes[3];
    uint32_t plane_count;  // 1: grey
    ccodecs_coded_color color;
} ccodecs_coded_image;

typedef struct ccodecs_hevc_decoder ccodecs_hevc_decoder;
typedef struct ccodecs_av1_decoder ccodecs_av1_decoder;

// Decodes the first image of HEVC's NAL units, each behind its length in four bytes.
ccodecs_code ccodecs_hevc_decode(const uint8_t *bytes, size_t count, ccodecs_hevc_decoder **decoder,
                                 ccodecs_coded_image *picture, ccodecs_fault *fault);
void ccodecs_hevc_close(ccodecs_hevc_decoder *decoder);

// Decodes the last image of AV1's open bitstream units, none of which may have more pixels than that.
ccodecs_code ccodecs_av1_decode(const uint8_t *bytes, size_t count, size_t max_pixels, ccodecs_av1_decoder **decoder,
                                ccodecs_coded_image *picture, ccodecs_fault *fault);
void ccodecs_av1_close(ccodecs_av1_decoder *decoder);

// libavcodec, which decodes HEVC in two thirds of that time, where it is installed. It decodes one image after the other, and has
// no message for a fault: whatever it will not have is for `ccodecs_hevc_decode`.
typedef struct ccodecs_avcodec ccodecs_avcodec;
typedef struct ccodecs_avcodec_frame ccodecs_avcodec_frame;

// The first call of all loads the library. No image may have more pixels than that.
ccodecs_code ccodecs_avcodec_open(size_t max_pixels, ccodecs_avcodec **codec);
// Decodes one image's NAL units, with its parameter sets, each behind its length in four bytes. A frame may outlive the
// codec.
ccodecs_code ccodecs_avcodec_decode(ccodecs_avcodec *codec, const uint8_t *units, size_t count,
                                    ccodecs_avcodec_frame **frame, ccodecs_coded_image *picture);
void ccodecs_avcodec_release(ccodecs_avcodec_frame *frame);
void ccodecs_avcodec_close(ccodecs_avcodec *codec);

// Copies samples of a row, each by a table with an entry for every number of the plane's bits; without a table, which is for
// 8 bits, as they are. Row, column and count lie in the plane.
void ccodecs_coded_row(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                       const uint8_t *table, uint8_t *samples);
void ccodecs_coded_levels(const ccodecs_coded_plane *plane, uint32_t row, uint32_t column, uint32_t count,
                          const float *table, float *levels);

// MARK: Colour

// A way from a profile's colours to sRGB. Once open it is never written to: any number of threads may use it.
typedef struct ccodecs_color ccodecs_color;

// What a pixel's samples are. CMYK is stored as what the ink leaves: 255 - ink.
typedef enum __attribute__((enum_extensibility(closed))) ccodecs_color_model {
    CCODECS_GREY,
    CCODECS_RGB,
    CCODECS_CMYK,
} ccodecs_color_model;

// Chromaticities, x and y each (CIE 1931).
typedef struct ccodecs_primaries {
    double white[2], red[2], green[2], blue[2];
} ccodecs_primaries;

// Reads an ICC profile, which it needs no longer afterwards; `*model` is what the profile describes.
ccodecs_code ccodecs_color_open(const uint8_t *bytes, size_t count, ccodecs_color **color,
                                ccodecs_color_model *model);
// Of RGB with such primaries and with an exponent from samples to light; 0 means sRGB's own curve.
ccodecs_code ccodecs_color_open_primaries(ccodecs_primaries primaries, double exponent, ccodecs_color **color,
                                          ccodecs_color_model *model);
// Converts pixels of 1, 3 or 4 interleaved samples, as the model has it, to 3.
void ccodecs_color_convert(const ccodecs_color *color, const uint8_t *samples, uint8_t *rgb, size_t pixel_count);
void ccodecs_color_close(ccodecs_color *color);

// Unpacks a zlib stream. `*bytes` is freed by ccodecs_free, whatever is returned.
ccodecs_code ccodecs_inflate(const uint8_t *packed, size_t packed_count, size_t max_bytes, uint8_t **bytes,
                             size_t *count);
// Unpacks a zlib stream of which it is known how many bytes it gives: faster, and a failure when it gives more or less.
ccodecs_code ccodecs_inflate_whole(const uint8_t *packed, size_t packed_count, uint8_t *bytes, size_t count);
// The checksum of ISO 3309, as PNG has it.
uint32_t ccodecs_crc32(const uint8_t *bytes, size_t count);

// MARK: Memory

void ccodecs_free(void *memory);

#endif
