internal import CCodecs

/// The outcome of calls into the C code for one image.
struct CodecReport {
    let format: ImageFormat
    let limits: ImageLimits
    var fault = ccodecs_fault()

    init(_ format: ImageFormat, limits: ImageLimits) {
        self.format = format
        self.limits = limits
    }

    /// Throws the error that a code stands for; returns if there is none.
    func check(_ code: ccodecs_code) throws(ImageError) {
        switch code {
        case .CCODECS_OK: return
        case .CCODECS_CORRUPT: throw .corrupt(format, text)
        case .CCODECS_TRUNCATED: throw .truncated(format, text)
        case .CCODECS_UNSUPPORTED: throw .unsupported("this kind of \(format.name) (\(text))")
        // `JPEGScans` counts the scans first, so this is not expected.
        case .CCODECS_TOO_MANY_SCANS: throw .tooManyScans(of: PixelSize(width: 1, height: 1), limits: limits)
        case .CCODECS_TOO_MUCH_MEMORY: throw .tooMuchMemory(format, limits: limits)
        case .CCODECS_OUT_OF_MEMORY: throw .outOfMemory
        }
    }

    /// The library's message without its full stop.
    private var text: String {
        let bytes = unsafe withUnsafeBytes(of: fault.message) { unsafe Array($0.prefix { $0 != 0 }) }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
