internal import CCodecs

/// Writes pictures; no metadata of any kind goes into them.
enum Encoder {
    /// A baseline JPEG with 4:2:0 chroma and the standard Huffman tables, of a picture without alpha.
    static func jpeg(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> [UInt8] {
        try unsafe encode(picture, as: .jpeg) { pixels, layout, bytes, count, fault in
            unsafe ccodecs_jpeg_encode(pixels, layout, Int32(clamping: quality), bytes, count, fault)
        }
    }

    /// A PNG with 8 bits a channel.
    static func png(_ picture: PixelBuffer) throws(ImageError) -> [UInt8] {
        try unsafe encode(picture.unpremultiplied(), as: .png) { pixels, layout, bytes, count, fault in
            unsafe ccodecs_png_encode(pixels, layout, bytes, count, fault)
        }
    }

    private typealias EncodeCall = (
        UnsafePointer<UInt8>, ccodecs_layout, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        UnsafeMutablePointer<Int>, UnsafeMutablePointer<ccodecs_fault>
    ) -> ccodecs_code

    private static func encode(
        _ picture: PixelBuffer, as format: ImageFormat, _ call: EncodeCall
    ) throws(ImageError) -> [UInt8] {
        var report = CodecReport(format, limits: ImageLimits())
        let layout = ccodecs_layout(
            width: UInt32(picture.size.width), height: UInt32(picture.size.height), channels: UInt32(picture.channels))
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = unsafe call(picture.bytes, layout, &encoded, &count, &report.fault)
        defer { unsafe ccodecs_free(encoded) }
        try report.check(code)
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: count))
    }
}
