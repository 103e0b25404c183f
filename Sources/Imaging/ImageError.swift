/// An error that refuses an image or a recipe.
public struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code of the error, for programs; later versions may add codes.
    public let code: Code
    /// A sentence for people that states the fault and, where one was exceeded, the limit.
    ///
    /// It contains no file name: callers prepend theirs.
    public let message: String
    /// Advice that accompanies the message, in one sentence.
    public let hint: String

    /// Creates an error from its three parts.
    public init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, in one line.
    public var description: String { "\(message). \(hint)" }

    /// Whether the same bytes may succeed later: true only if the system lacked memory.
    public var isTransient: Bool { code == .outOfMemory }
}

extension ImageError {
    /// An error code: lower-case words joined by underscores; stable, and suitable for JSON.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code as it appears in JSON and logs.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The input has no bytes.
        public static let empty = Code(rawValue: "empty")
        /// The format of the bytes is not supported, or is a rare variant that its decoder does not support.
        public static let unsupportedFormat = Code(rawValue: "unsupported_format")
        /// The input has more bytes than `ImageLimits.maxInputBytes`.
        public static let tooLargeBytes = Code(rawValue: "too_large_bytes")
        /// The image has more pixels than `ImageLimits.maxPixels`.
        public static let tooManyPixels = Code(rawValue: "too_many_pixels")
        /// A side of the image is longer than `ImageLimits.maxSide`.
        public static let sideTooLong = Code(rawValue: "side_too_long")
        /// All frames together have more pixels than `ImageLimits.maxFramePixels`.
        public static let tooManyFrames = Code(rawValue: "too_many_frames")
        /// A JPEG has more scans than `ImageLimits.maxScans`, or more pixels in all scans than
        /// `ImageLimits.maxScanPixels`.
        public static let tooManyScans = Code(rawValue: "too_many_scans")
        /// Decoding would need more memory than `ImageLimits.maxWorkingBytes`.
        public static let tooMuchMemory = Code(rawValue: "too_much_memory")
        /// The data ends before the image does.
        public static let truncated = Code(rawValue: "truncated")
        /// The data violates the rules of its format.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A recipe is malformed, or one of its values is out of bounds.
        public static let badRecipe = Code(rawValue: "bad_recipe")
        /// The system is out of memory.
        public static let outOfMemory = Code(rawValue: "out_of_memory")
    }
}

extension ImageError {
    static func truncated(_ format: ImageFormat, _ detail: String = "") -> ImageError {
        ImageError(
            .truncated, "the \(format.name) data ends too early" + parenthesised(detail),
            hint: "The transfer may have been cut short: send the file again.")
    }

    static func corrupt(_ format: ImageFormat, _ detail: String) -> ImageError {
        ImageError(
            .corrupt, "the \(format.name) data is damaged" + parenthesised(detail),
            hint: "Open the picture in an editor and save it again, or send another copy.")
    }

    static func unsupported(
        _ what: String, hint: String = "Send a JPEG, PNG, GIF, WebP, HEIC or AVIF picture."
    ) -> ImageError {
        ImageError(.unsupportedFormat, "\(what) is not supported", hint: hint)
    }

    static func missing(_ library: String, for format: ImageFormat) -> ImageError {
        ImageError(
            .unsupportedFormat, "\(format.name) is not supported here: this program was built without \(library)",
            hint: "Send a JPEG, PNG or GIF picture, or build the program with \(library).")
    }

    static func tooMuchMemory(_ format: ImageFormat, limits: ImageLimits) -> ImageError {
        ImageError(
            .tooMuchMemory,
            "decoding this \(format.name) needs more than \(limits.maxWorkingBytes / 1_048_576) MiB of memory",
            hint: ImageLimits.hint(
                "Send a smaller picture, or save it without progressive or interlaced encoding", "max-memory"))
    }

    /// - Parameter need: The memory that decoding needs, in bytes.
    static func tooMuchMemory(_ format: ImageFormat, need: Int, limits: ImageLimits) -> ImageError {
        func mebibytes(_ bytes: Int) -> Int { (bytes + 1_048_575) / 1_048_576 }
        return ImageError(
            .tooMuchMemory,
            "decoding this \(format.name) needs \(mebibytes(need)) MiB of memory; the limit is \(limits.maxWorkingBytes / 1_048_576) MiB",
            hint: ImageLimits.hint(
                "Send a smaller picture, or one that is stored in tiles or with 8 bits", "max-memory"))
    }

    static func tooManyScans(of size: PixelSize, limits: ImageLimits) -> ImageError {
        let count = limits.scanCount(for: size)
        return ImageError(
            .tooManyScans, "it has more than \(count) scans; the limit for a JPEG of \(size) pixels",
            hint: ImageLimits.hint(
                "Save the picture again, as a baseline JPEG",
                count < limits.maxScans ? "max-scan-pixels" : "max-scans"))
    }

    static func badRecipe(_ message: String) -> ImageError {
        ImageError(.badRecipe, message, hint: "Write a recipe such as thumb=640x480,inside,q70.")
    }

    static var outOfMemory: ImageError {
        ImageError(.outOfMemory, "the system has no memory left", hint: "Try again later.")
    }

    private static func parenthesised(_ detail: String) -> String { detail.isEmpty ? "" : " (\(detail))" }
}
