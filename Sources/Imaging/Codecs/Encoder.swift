internal import CCodecs

/// Writes pictures; no metadata of any kind goes into them.
enum Encoder {
    /// A baseline JPEG with 4:2:0 chroma and the standard Huffman tables, of a grey picture or one with halved chroma.
    static func jpeg(_ picture: Picture, quality: Int) throws(ImageError) -> [UInt8] {
        let planes = picture.planes
        guard let luma = planes.first, planes.count == 1 || planes.count == 3, luma.size == picture.size,
            planes.dropFirst().allSatisfy({ $0.size == picture.size.halved })
        else { throw .unsupported("a JPEG of this colour model") }
        let (blue, red) = planes.count == 3 ? (planes[1].samples, planes[2].samples) : ([], [])
        return try unsafe encode(as: .jpeg) { bytes, count, fault in
            unsafe luma.samples.withUnsafeBufferPointer { luma in
                unsafe blue.withUnsafeBufferPointer { blue in
                    unsafe red.withUnsafeBufferPointer { red in
                        let isGrey = blue.isEmpty
                        let planes = unsafe ccodecs_jpeg_picture(
                            luma: luma.baseAddress, blue: isGrey ? nil : blue.baseAddress,
                            red: isGrey ? nil : red.baseAddress, width: UInt32(picture.size.width),
                            height: UInt32(picture.size.height))
                        return unsafe ccodecs_jpeg_encode_planes(planes, Int32(clamping: quality), bytes, count, fault)
                    }
                }
            }
        }
    }

    /// The same of a picture of pixels without alpha.
    static func jpeg(_ picture: PixelBuffer, quality: Int) throws(ImageError) -> [UInt8] {
        try unsafe encode(as: .jpeg) { bytes, count, fault in
            unsafe ccodecs_jpeg_encode(picture.bytes, picture.layout, Int32(clamping: quality), bytes, count, fault)
        }
    }

    /// A PNG with 8 bits a channel.
    static func png(_ picture: PixelBuffer) throws(ImageError) -> [UInt8] {
        let picture = picture.unpremultiplied()
        return try unsafe encode(as: .png) { bytes, count, fault in
            unsafe ccodecs_png_encode(picture.bytes, picture.layout, bytes, count, fault)
        }
    }

    private typealias EncodeCall = (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<ccodecs_fault>
    ) -> ccodecs_code

    private static func encode(as format: ImageFormat, _ call: EncodeCall) throws(ImageError) -> [UInt8] {
        var report = CodecReport(format, limits: ImageLimits())
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = unsafe call(&encoded, &count, &report.fault)
        defer { unsafe ccodecs_free(encoded) }
        try report.check(code)
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: count))
    }
}

extension PixelBuffer {
    fileprivate var layout: ccodecs_layout { ccodecs_layout(size, channels: channels) }
}

extension ccodecs_layout {
    init(_ size: PixelSize, channels: Int) {
        self.init(width: UInt32(size.width), height: UInt32(size.height), channels: UInt32(channels))
    }
}
