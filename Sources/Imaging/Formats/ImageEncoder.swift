internal import CCodecs

/// A codec that can also write images, without any metadata.
protocol ImageEncoder: ImageCodec {
    /// Returns the reason why an image that fills a box cannot be written; nil if it can.
    func obstacle(to box: PixelSize) -> String?

    /// Encodes a grey or YCbCr image with its chroma samples.
    func encode(_ image: PlanarImage, _ options: EncodingOptions) throws(ImageError) -> [UInt8]

    /// Encodes pixels, with alpha if there is any and the format supports it.
    func encode(_ image: PixelBuffer, _ options: EncodingOptions) throws(ImageError) -> [UInt8]
}

/// The options for encoding an image; each encoder uses those that apply to its format.
struct EncodingOptions {
    /// The quality, 1 to 100, on the scale of libjpeg and libwebp.
    var quality = 80
    var isProgressive = false
    /// The number of chroma samples, if the input is pixels.
    var subsampling = Recipe.Subsampling.automatic

    /// Whether pixels are encoded with one chroma sample each.
    func hasFullChroma(_ image: PixelBuffer) -> Bool {
        subsampling == .full || subsampling == .automatic && image.needsFullChroma
    }
}

extension ImageEncoder {
    /// A call into the C code that returns the encoded bytes, their count and an error.
    typealias EncodeCall = (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<ccodecs_fault>
    ) throws(ImageError) -> ccodecs_code

    func obstacle(to box: PixelSize) -> String? { nil }

    /// Returns the bytes that a call into the C code encodes.
    func collect(_ call: EncodeCall) throws(ImageError) -> [UInt8] {
        var report = CodecReport(format, limits: ImageLimits())
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let code = try unsafe call(&encoded, &count, &report.fault)
        defer { unsafe ccodecs_free(encoded) }
        try report.check(code)
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: count))
    }
}

extension PlanarImage {
    /// Passes the planes of a grey image, or of a YCbCr image with halved or full chroma, to a function.
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
