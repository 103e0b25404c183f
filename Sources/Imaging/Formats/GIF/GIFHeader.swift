/// A walk through all blocks of a GIF, without decoding them (GIF89a specification, sections 17 to 27).
///
/// A file that ends between two blocks lacks only its trailer and is complete. A file that ends inside a block is
/// accepted if the first frame's descriptor is present; the frame's decoder determines how much of the frame is
/// missing.
struct GIFHeader {
    let header: ImageHeader
    /// The number of pixels of all frames together.
    let framePixels: Int
    /// The number of times that an animation is shown; 0 means forever.
    let loopCount: Int
    /// Whether the file ends inside a block after the first frame; a later incomplete frame is not counted.
    let isCut: Bool

    static func read(_ bytes: Span<UInt8>) throws(ImageError) -> GIFHeader {
        guard let width = bytes.uint16(at: 6, isLittleEndian: true),
            let height = bytes.uint16(at: 8, isLittleEndian: true), let flags = bytes.byte(at: 10)
        else {
            throw .truncated(.gif)
        }
        var walk = Walk(canvas: PixelSize(width: width, height: height), offset: 13 + colorTableBytes(flags))
        var isCut = false
        do throws(ImageError) {
            while let introducer = bytes.byte(at: walk.offset), introducer != 0x3B { try walk.skipBlock(bytes) }
            guard walk.offset <= bytes.count else { throw .truncated(.gif) }
        } catch {
            guard error.code == .truncated, walk.frameCount > 0 else { throw error }
            isCut = walk.frameCount > 1 || !walk.isInFrame
            if isCut, walk.isInFrame { walk.frameCount -= 1 }
        }
        guard walk.frameCount > 0 else {
            throw bytes.byte(at: walk.offset) == nil ? .truncated(.gif) : .corrupt(.gif, "no picture in it")
        }
        let header = ImageHeader(
            format: .gif, storedSize: walk.canvas, orientation: .up, hasAlpha: walk.hasAlpha,
            frameCount: walk.frameCount)
        return GIFHeader(
            header: header, framePixels: walk.framePixels, loopCount: walk.loopCount, isCut: isCut)
    }

    /// The length in bytes of the colour table that a descriptor's flags announce.
    private static func colorTableBytes(_ flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    private struct Walk {
        let canvas: PixelSize
        var offset: Int
        var frameCount = 0
        var framePixels = 0
        var hasAlpha = false
        var loopCount = 1
        /// Whether the next block is a frame.
        private(set) var isInFrame = false
        private var isNextTransparent = false

        init(canvas: PixelSize, offset: Int) {
            self.canvas = canvas
            self.offset = offset
        }

        /// Moves past a block, beginning at its introducer.
        mutating func skipBlock(_ bytes: Span<UInt8>) throws(ImageError) {
            let introducer = bytes.byte(at: offset)
            offset += 1
            switch introducer {
            case 0x21: try skipExtension(bytes)
            case 0x2C: try skipFrame(bytes)
            default: throw .corrupt(.gif, "an unknown block")
            }
        }

        /// Moves past an extension. A graphic control extension (label 0xF9) specifies whether the next frame has a
        /// transparent colour.
        ///
        /// Netscape's application extension (0xFF) specifies how often an animation is repeated; 0 means forever.
        private mutating func skipExtension(_ bytes: Span<UInt8>) throws(ImageError) {
            if bytes.byte(at: offset) == 0xF9, bytes.byte(at: offset + 1) == 4, let flags = bytes.byte(at: offset + 2) {
                isNextTransparent = flags & 1 != 0
            }
            if bytes.starts(with: "\u{B}NETSCAPE2.0\u{3}\u{1}", at: offset + 1),
                let count = bytes.uint16(at: offset + 15, isLittleEndian: true)
            {
                loopCount = count == 0 ? 0 : count + 1
            }
            offset += 1
            try skipSubBlocks(bytes)
        }

        private mutating func skipFrame(_ bytes: Span<UInt8>) throws(ImageError) {
            guard let left = bytes.uint16(at: offset, isLittleEndian: true),
                let top = bytes.uint16(at: offset + 2, isLittleEndian: true),
                let width = bytes.uint16(at: offset + 4, isLittleEndian: true),
                let height = bytes.uint16(at: offset + 6, isLittleEndian: true),
                let flags = bytes.byte(at: offset + 8)
            else { throw .truncated(.gif) }
            frameCount += 1
            isInFrame = true
            framePixels += width * height
            if frameCount == 1 {
                let isCovered = left == 0 && top == 0 && width >= canvas.width && height >= canvas.height
                hasAlpha = isNextTransparent || !isCovered
            }
            isNextTransparent = false
            offset += 10 + GIFHeader.colorTableBytes(flags)  // the tenth byte is the LZW code size
            try skipSubBlocks(bytes)
            isInFrame = false
        }

        /// Moves past sub-blocks up to the empty one. A truncated file may lack that: a last sub-block that is shorter
        /// than all before it ends the data.
        private mutating func skipSubBlocks(_ bytes: Span<UInt8>) throws(ImageError) {
            var last = 255
            while let length = bytes.byte(at: offset).map(Int.init) {
                offset += 1 + length
                if length == 0 { return }
                last = length
            }
            guard offset == bytes.count, last < 255 else { throw .truncated(.gif) }
        }
    }
}
