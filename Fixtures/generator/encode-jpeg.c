// Encodes a PPM from standard input as a JPEG of any kind that libjpeg writes.
//
//     encode-jpeg OUT [quality=90] [sampling=2x2] [progressive] [grey] [rgb] [cmyk|ycck] [plain] [arithmetic]
//                 [restart=N] [noninterleaved] [manyscans] [dcscans]
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static bool has(int count, char **arguments, const char *word) {
    for (int i = 2; i < count; i++) {
        if (strcmp(arguments[i], word) == 0) return true;
    }
    return false;
}

static const char *value(int count, char **arguments, const char *key, const char *otherwise) {
    for (int i = 2; i < count; i++) {
        size_t length = strlen(key);
        if (strncmp(arguments[i], key, length) == 0 && arguments[i][length] == '=') return arguments[i] + length + 1;
    }
    return otherwise;
}

// Splits the lightest channel off as black; stored as light (255 - ink) when there is an Adobe marker.
static void to_cmyk(const unsigned char *rgb, unsigned char *cmyk, bool is_plain) {
    int black = rgb[0] > rgb[1] ? rgb[0] : rgb[1];
    if (rgb[2] > black) black = rgb[2];
    for (int i = 0; i < 3; i++) cmyk[i] = (unsigned char)(black == 0 ? 255 : (rgb[i] * 255 + black / 2) / black);
    cmyk[3] = (unsigned char)black;
    for (int i = 0; is_plain && i < 4; i++) cmyk[i] = (unsigned char)(255 - cmyk[i]);
}

// One scan per component and frequency: legal, and far more than any picture needs.
static int fill_many_scans(jpeg_scan_info *scans) {
    int count = 0;
    scans[count++] = (jpeg_scan_info){3, {0, 1, 2}, 0, 0, 0, 0};
    for (int component = 0; component < 3; component++) {
        for (int k = 1; k < 64; k++) scans[count++] = (jpeg_scan_info){1, {component}, k, k, 0, 0};
    }
    return count;
}

static int fill_separate_scans(jpeg_scan_info *scans) {
    for (int component = 0; component < 3; component++) scans[component] = (jpeg_scan_info){1, {component}, 0, 63, 0, 0};
    return 3;
}

// The DC of each component in its own scans, first without the two lowest bits; then the AC in one scan.
static int fill_dc_scans(jpeg_scan_info *scans) {
    int count = 0;
    for (int low = 2; low >= 0; low--) {
        for (int component = 0; component < 3; component++) {
            scans[count++] = (jpeg_scan_info){1, {component}, 0, 0, low == 2 ? 0 : low + 1, low};
        }
    }
    for (int component = 0; component < 3; component++) scans[count++] = (jpeg_scan_info){1, {component}, 1, 63, 0, 0};
    return count;
}

// Luma in bands that are divided differently in later scans; chroma in two bands with all of their bits.
static int fill_band_scans(jpeg_scan_info *scans) {
    static const int luma[][4] = {{1, 9, 0, 3}, {10, 63, 0, 2}, {1, 5, 3, 2}, {6, 9, 3, 2}, {1, 63, 2, 1}, {1, 63, 1, 0}};
    int count = 0;
    scans[count++] = (jpeg_scan_info){3, {0, 1, 2}, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof luma / sizeof *luma; i++) {
        scans[count++] = (jpeg_scan_info){1, {0}, luma[i][0], luma[i][1], luma[i][2], luma[i][3]};
    }
    for (int component = 1; component < 3; component++) {
        scans[count++] = (jpeg_scan_info){1, {component}, 1, 8, 0, 0};
        scans[count++] = (jpeg_scan_info){1, {component}, 9, 63, 0, 0};
    }
    scans[count++] = (jpeg_scan_info){3, {0, 1, 2}, 0, 0, 1, 0};
    return count;
}

int main(int count, char **arguments) {
    int width, height;
    if (count < 2 || scanf("P6 %d %d 255", &width, &height) != 2 || getchar() == EOF) return 2;
    FILE *file = fopen(arguments[1], "wb");
    if (file == NULL) return 1;
    bool is_ycck = has(count, arguments, "ycck"), is_plain = has(count, arguments, "plain");
    bool is_cmyk = is_ycck || has(count, arguments, "cmyk");
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct jpeg;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)width;
    jpeg.image_height = (JDIMENSION)height;
    jpeg.input_components = is_cmyk ? 4 : 3;
    jpeg.in_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (is_ycck) jpeg_set_colorspace(&jpeg, JCS_YCCK);
    if (has(count, arguments, "rgb")) jpeg_set_colorspace(&jpeg, JCS_RGB);
    if (has(count, arguments, "grey")) jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
    if (is_plain) jpeg.write_Adobe_marker = FALSE;
    jpeg_set_quality(&jpeg, atoi(value(count, arguments, "quality", "90")), TRUE);
    const char *sampling = value(count, arguments, "sampling", "");
    if (sampling[0] != 0) {
        jpeg.comp_info[0].h_samp_factor = sampling[0] - '0';
        jpeg.comp_info[0].v_samp_factor = sampling[2] - '0';
    }
    jpeg.restart_interval = (unsigned)atoi(value(count, arguments, "restart", "0"));
    jpeg.arith_code = has(count, arguments, "arithmetic");
    jpeg_scan_info scans[200];
    if (has(count, arguments, "progressive")) jpeg_simple_progression(&jpeg);
    if (has(count, arguments, "manyscans")) jpeg.num_scans = fill_many_scans(scans);
    if (has(count, arguments, "dcscans")) jpeg.num_scans = fill_dc_scans(scans);
    if (has(count, arguments, "bandscans")) jpeg.num_scans = fill_band_scans(scans);
    if (has(count, arguments, "noninterleaved")) jpeg.num_scans = fill_separate_scans(scans);
    if (jpeg.scan_info == NULL && jpeg.num_scans > 0) jpeg.scan_info = scans;
    jpeg_start_compress(&jpeg, TRUE);
    unsigned char *rgb = malloc((size_t)width * 3), *row = malloc((size_t)width * 4);
    for (int y = 0; y < height; y++) {
        if (fread(rgb, 3, (size_t)width, stdin) != (size_t)width) return 2;
        for (int x = 0; is_cmyk && x < width; x++) to_cmyk(rgb + x * 3, row + x * 4, is_plain);
        JSAMPROW rows[1] = {is_cmyk ? row : rgb};
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return fclose(file) == 0 ? 0 : 1;
}
