internal import CCodecs

/// Writes pictures; no metadata of any kind goes into them.
enum Encoder {
    /// A JPEG of a grey or YCbCr picture, with the chroma samples that it has: baseline with the standard Huffman tables, or
    /// progressive.
    static func jpeg(_ picture: Picture, quality: Int, isProgressive: Bool = false) throws(ImageError) -> [UInt8] {
        try unsafe encode(as: .jpeg) { bytes, count, fault throws(ImageError) in
            try unsafe picture.withPlanes { planes in
                unsafe ccodecs_jpeg_encode_planes(
                    planes, Int32(clamping: quality), isProgressive, bytes, count, fault)
            }
        }
    }

    /// The same of a picture of pixels without alpha.
    static func jpeg(
        _ picture: PixelBuffer, quality: Int, isProgressive: Bool = false, isChromaFull: Bool = false
    ) throws(ImageError) -> [UInt8] {
        try unsafe encode(as: .jpeg) { bytes, count, fault in
            unsafe ccodecs_jpeg_encode(
                picture.bytes, picture.layout, Int32(clamping: quality), isProgressive, isChromaFull, bytes, count,
                fault)
        }
    }

    /// A PNG with 8 bits a channel.
    static func png(_ picture: PixelBuffer) throws(ImageError) -> [UInt8] {
        let picture = picture.unpremultiplied()
        return try unsafe encode(as: .png) { bytes, count, fault in
            unsafe ccodecs_png_encode(picture.bytes, picture.layout, bytes, count, fault)
        }
    }

    /// A call into the fence that leaves the encoded bytes, their count, and what was wrong.
    typealias EncodeCall = (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<ccodecs_fault>
    ) throws(ImageError) -> ccodecs_code

    static func encode(as format: ImageFormat, _ call: EncodeCall) throws(ImageError) -> [UInt8] {
        var report = CodecReport(format, limits: ImageLimits())
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = try unsafe call(&encoded, &count, &report.fault)
        defer { unsafe ccodecs_free(encoded) }
        try report.check(code)
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: count))
    }
}

extension Picture {
    /// Calls with the planes of a grey picture, or of a YCbCr one with halved or full chroma.
    func withPlanes(_ body: (ccodecs_planes) -> ccodecs_code) throws(ImageError) -> ccodecs_code {
        guard let luma = planes.first, planes.count == 1 || planes.count == 3, luma.size == size,
            let chroma = planes.last?.size, planes.dropFirst().allSatisfy({ $0.size == chroma }),
            chroma == size || chroma == size.halved
        else { throw .unsupported("a picture of this colour model") }
        let (blue, red) = planes.count == 3 ? (planes[1].samples, planes[2].samples) : ([], [])
        return unsafe luma.samples.withUnsafeBufferPointer { luma in
            unsafe blue.withUnsafeBufferPointer { blue in
                unsafe red.withUnsafeBufferPointer { red in
                    let isGrey = blue.isEmpty
                    return unsafe body(
                        ccodecs_planes(
                            luma: luma.baseAddress, blue: isGrey ? nil : blue.baseAddress,
                            red: isGrey ? nil : red.baseAddress, width: UInt32(size.width),
                            height: UInt32(size.height), is_chroma_full: chroma != size.halved))
                }
            }
        }
    }
}

extension PixelBuffer {
    var layout: ccodecs_layout { ccodecs_layout(size, channels: channels) }
}

extension ccodecs_layout {
    init(_ size: PixelSize, channels: Int) {
        self.init(width: UInt32(size.width), height: UInt32(size.height), channels: UInt32(channels))
    }
}
