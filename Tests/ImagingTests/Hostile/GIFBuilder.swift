@testable import Imaging

/// A builder of GIFs: of one colour and any size, or of pixels (GIF89a specification).
struct GIFBuilder {
    private(set) var bytes: [UInt8]

    init(_ width: Int, _ height: Int) {
        bytes = Array("GIF89a".utf8) + GIFBuilder.littleEndian(width, height) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    }

    /// Creates a file of one frame, whose rows are written in the given order.
    ///
    /// - Parameters:
    ///   - palette: red, green and blue, 256 times.
    ///   - canvas: the canvas whose upper left part is the frame; nil if the frame is all of it.
    init(
        _ size: PixelSize, palette: [UInt8], transparent: UInt8?, rows: [[UInt8]], isInterlaced: Bool = false,
        canvas: PixelSize? = nil, rootBits: Int = 8
    ) {
        let canvas = canvas ?? size
        bytes = Array("GIF89a".utf8) + GIFBuilder.littleEndian(canvas.width, canvas.height) + [0xF7, 0, 0] + palette
        if let transparent { bytes += [0x21, 0xF9, 4, 1, 0, 0, transparent, 0] }
        addFrame(size, rows: rows, isInterlaced: isInterlaced, rootBits: rootBits)
    }

    /// Adds a frame of pixels at the canvas' upper left.
    mutating func addFrame(_ size: PixelSize, rows: [[UInt8]], isInterlaced: Bool = false, rootBits: Int = 8) {
        let place = GIFBuilder.littleEndian(0, 0, size.width, size.height)
        bytes += [0x2C] + place + [isInterlaced ? 0x40 : 0, UInt8(rootBits)]
        bytes += GIFBuilder.split(LZWEncoder.encode(rows.joined(), rootBits: rootBits))
    }

    private static func littleEndian(_ numbers: Int...) -> [UInt8] {
        numbers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    mutating func add(_ more: [UInt8], count: Int = 1) {
        for _ in 0..<count { bytes += more }
    }

    /// Adds a frame that will be cleared, many times over.
    mutating func addFrame(
        left: Int = 0, top: Int = 0, _ width: Int, _ height: Int, pixels: Int, isInterlaced: Bool = false,
        count: Int = 1
    ) {
        let control: [UInt8] = [0x21, 0xF9, 4, 2 << 2, 1, 0, 0, 0]
        let place = GIFBuilder.littleEndian(left, top, width, height)
        let frame = control + [0x2C] + place + [isInterlaced ? 0x40 : 0, 2] + GIFBuilder.blocks(of: pixels)
        for _ in 0..<count { bytes += frame }
    }

    /// Returns blocks of pixels of index 0, with a clear code before each pixel, so that all codes have 3 bits.
    private static func blocks(of pixels: Int) -> [UInt8] {
        // Clear and zero, four times: 100 000 100 000 …, the lowest bit first.
        let group: [UInt8] = [0x04, 0x41, 0x10]
        var codes: [UInt8] = []
        codes.reserveCapacity(pixels / 4 * 3 + 3)
        for _ in 0..<pixels / 4 { codes += group }
        let rest = pixels % 4
        let last = (0..<rest).reduce(5 << (6 * rest)) { $0 | 4 << (6 * $1) }
        for byte in 0..<(6 * rest + 3 + 7) / 8 { codes.append(UInt8(truncatingIfNeeded: last >> (8 * byte))) }
        return split(codes)
    }

    private static func split(_ codes: [UInt8]) -> [UInt8] {
        var blocks: [UInt8] = []
        blocks.reserveCapacity(codes.count + codes.count / 255 + 2)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let end = min(codes.count, start + 255)
            blocks.append(UInt8(end - start))
            blocks += codes[start..<end]
        }
        return blocks + [0]
    }

    var file: [UInt8] { bytes + [0x3B] }
}
