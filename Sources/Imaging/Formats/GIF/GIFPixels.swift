internal import CCodecs

/// The palette indices of a GIF's frame, as far as its data is present.
struct GIFPixels {
    /// The maximum size of a frame that is decoded at once, in bytes; giflib decodes larger ones row by row.
    static let maxBytes = 64 << 20
    /// The number of bytes before the first index.
    static let offset = LZWDecoder.rootCount

    /// The indices, as stored, after the roots: fewer than the frame's pixels if data is missing.
    let indices: [UInt8]
    /// The number of complete rows.
    let rowCount: Int
    /// The part of the frame whose data is missing.
    let missing: MissingPart
    /// `truncated` if the file ends before the frame's pixels do; `damaged` if they have another fault.
    let warning: ImageWarning?

    /// Decodes a frame.
    ///
    /// - Parameter offset: The offset of the first data block, after the byte with the number of bits of an index.
    init(_ bytes: Span<UInt8>, at offset: Int, size: PixelSize) throws(ImageError) {
        let (stream, isCut) = GIFPixels.joined(bytes, at: offset)
        guard let rootBits = bytes.byte(at: offset - 1), let decoder = LZWDecoder(rootBits: Int(rootBits)) else {
            throw .corrupt(.gif, "an invalid index length")
        }
        let decoded = decoder.decode(stream.span, count: size.pixelCount)
        let count = decoded.pixels.count - GIFPixels.offset
        indices = decoded.pixels
        rowCount = size.width > 0 ? count / size.width : size.height
        missing = MissingPart(size.pixelCount - count, of: size.pixelCount)
        switch decoded.end {
        case .whole: warning = nil
        case .outOfData: warning = isCut ? .truncated : .damaged
        case .damaged: warning = .damaged
        }
    }

    /// Throws if too much is missing.
    ///
    /// - Parameter acceptsTruncated: Whether an incomplete file is accepted if at least one row is present.
    func check(acceptsTruncated: Bool) throws(ImageError) {
        guard !missing.isSmall else { return }
        guard warning == .truncated else { throw .corrupt(.gif, missing.words) }
        guard acceptsTruncated, rowCount > 0 else { throw .truncated(.gif, missing.words) }
    }

    /// Joins the blocks up to the empty one (GIF89a, section 15) and appends the decoder's slack; cut if the data ends
    /// earlier.
    private static func joined(_ bytes: Span<UInt8>, at start: Int) -> (stream: [UInt8], isCut: Bool) {
        var (stream, offset, count) = ([UInt8](), start, 0)
        while let length = bytes.byte(at: offset + count), length > 0 { count += 1 + Int(length) }
        stream.reserveCapacity(min(count, bytes.count) + LZWDecoder.slackBytes)
        var isCut = true
        while let length = bytes.byte(at: offset).map(Int.init) {
            if length == 0 {
                isCut = false
                break
            }
            unsafe bytes.extracting(offset + 1..<min(offset + 1 + length, bytes.count)).withUnsafeBufferPointer {
                unsafe stream.append(contentsOf: $0)
            }
            offset += 1 + length
        }
        stream.append(contentsOf: repeatElement(0, count: LZWDecoder.slackBytes))
        return (stream, isCut)
    }
}

extension ccodecs_gif_info {
    /// The size of the frame in pixels.
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
