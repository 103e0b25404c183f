import CCodecs
import TestSupport
import Testing

@testable import Imaging

@Suite("The fast GIF decoder agrees with giflib")
struct GIFDifferentialTests {
    private static let files = ImageFixture.whole.filter { $0.format == "gif" }.map(\.file)

    @Test("The first frame has the same indices as in giflib", arguments: files)
    func pixels(file: String) throws {
        let bytes = ImageFixture.bytes(file)
        let theirs = try #require(giflib(bytes))
        let ours = try GIFPixels(bytes.span, at: theirs.offset, size: theirs.size)
        #expect(ours.warning == nil)
        #expect(Array(ours.indices[GIFPixels.offset...]) == theirs.pixels)
    }

    @Test(
        "Damaged files that our decoder accepts, giflib accepts too, and both give the same pixels",
        arguments: ["plain.gif", "interlaced.gif"])
    func mutations(file: String) {
        var random = SeededGenerator(seed: 0x7E57_0000_0030)
        let original = ImageFixture.bytes(file)
        var accepted = 0
        for number in 0..<2000 {
            var bytes = original
            for _ in 0...number % 3 {
                let position = Int.random(in: 13..<bytes.count, using: &random)
                bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            // giflib refuses a frame without the empty block at its end, even if it has all pixels.
            guard let theirs = giflib(bytes), theirs.size.pixelCount < 1 << 20,
                !areBlocksCut(bytes, from: theirs.offset),
                let ours = try? GIFPixels(bytes.span, at: theirs.offset, size: theirs.size),
                ours.missing.permille == 0
            else { continue }
            accepted += 1
            #expect(Array(ours.indices[GIFPixels.offset...]) == theirs.pixels, "mutation \(number)")
        }
        #expect(accepted > 100, "or nothing was compared")
    }

    /// Whether the blocks of a frame's data continue to the file's end.
    private func areBlocksCut(_ bytes: [UInt8], from start: Int) -> Bool {
        var offset = start
        while offset < bytes.count, bytes[offset] > 0 { offset += 1 + Int(bytes[offset]) }
        return offset >= bytes.count
    }

    @Test("Streams of noise are refused or decoded, and never exceed their buffer", arguments: 1...12)
    func noise(rootBits: Int) {
        var random = SeededGenerator(seed: UInt64(rootBits))
        guard let decoder = LZWDecoder(rootBits: rootBits) else { return #expect(!(1...11).contains(rootBits)) }
        for _ in 0..<500 {
            let stream = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let padded = stream + [UInt8](repeating: 0, count: LZWDecoder.slackBytes)
            let count = Int.random(in: 1...2000, using: &random)
            let decoded = decoder.decode(padded.span, count: count)
            #expect((LZWDecoder.rootCount...LZWDecoder.rootCount + count).contains(decoded.pixels.count))
            #expect(decoded.end != .whole || decoded.pixels.count == LZWDecoder.rootCount + count)
        }
        let without = decoder.decode([1, 2, 3].span, count: 1)
        #expect(without.end == .outOfData && without.pixels.count == LZWDecoder.rootCount, "there is no slack")
    }

    @Test(
        "Short and long strings are decoded, for any number of pixels, with a cleared or a full dictionary",
        arguments: 1...11, [true, false])
    func strings(rootBits: Int, clears: Bool) {
        var random = SeededGenerator(seed: UInt64(rootBits))
        guard let decoder = LZWDecoder(rootBits: rootBits) else {
            Issue.record("1 to 11 bits are taken")
            return
        }
        let most = UInt8(clamping: 1 << rootBits - 1)
        for period in [1, 2, 3, 16, 17, 40, 1000] {
            let pattern = (0..<period).map { _ in UInt8.random(in: 0...most, using: &random) }
            // A pattern alone, a pattern with an occasional other pixel, and noise alone.
            for noise in [0.0, 0.05, 1.0] {
                let pixels = (0..<20_000).map { position in
                    let isNoise = Double.random(in: 0..<1, using: &random) < noise
                    return isNoise ? UInt8.random(in: 0...most, using: &random) : pattern[position % period]
                }
                let stream = LZWEncoder.encode(pixels, rootBits: rootBits, clears: clears)
                let padded = stream + [UInt8](repeating: 0, count: LZWDecoder.slackBytes)
                let decoded = decoder.decode(padded.span, count: pixels.count)
                #expect(decoded.end == .whole && Array(decoded.pixels[LZWDecoder.rootCount...]) == pixels)
                let more = decoder.decode(padded.span, count: pixels.count + 1)
                #expect(more.end == .damaged && more.pixels == decoded.pixels, "the end comes too early")
                let fewer = decoder.decode(padded.span, count: pixels.count - 1)
                #expect(fewer.pixels == decoded.pixels.dropLast())
                #expect(fewer.end == .damaged || pixels.last == 0, "a pixel is too many, unless it looks like padding")
            }
        }
    }

    @Test(
        "Indices of more than 8 bits are read as by other decoders, still and animated", arguments: 8...12)
    func wideCodes(rootBits: Int) throws {
        var random = SeededGenerator(seed: 0x7E57_0000_0033)
        let palette = (0..<768).map { _ in UInt8.random(in: 0...255, using: &random) }
        let size = PixelSize(width: 40, height: 30)
        func frame() -> [[UInt8]] {
            (0..<size.height).map { _ in (0..<size.width).map { _ in UInt8.random(in: 0...255, using: &random) } }
        }
        let (first, second) = (frame(), frame())
        func gif(_ rootBits: Int, isInterlaced: Bool = false) -> GIFBuilder {
            var gif = GIFBuilder(
                size, palette: palette, transparent: nil, rows: first, isInterlaced: isInterlaced, rootBits: rootBits)
            gif.addFrame(size, rows: second, rootBits: rootBits)
            return gif
        }
        for isInterlaced in [false, true] {
            let (wide, plain) = (gif(rootBits, isInterlaced: isInterlaced), gif(8, isInterlaced: isInterlaced))
            guard rootBits < 12 else {
                #expect(throws: ImageError.self) { try decode(wide.file) }
                continue
            }
            #expect(try decode(wide.file) == decode(plain.file))
            #if WebP
                let recipes = [try Recipe(parsing: "a=40,webp,animated")]
                let (ours, expected) = (
                    try Renderer().render(wide.file.span, recipes: recipes),
                    try Renderer().render(plain.file.span, recipes: recipes)
                )
                #expect(ours.renditions == expected.renditions && ours.header.frameCount == 2)
            #endif
        }
    }

    @Test("The longest possible strings are decoded, also if the frame ends inside one")
    func longestStrings() throws {
        // Each code but the first one is the newest string: one pixel longer each time, and 4091 pixels at last.
        let codes = [4, 0] + Array(6..<4096) + [4095, 4095]
        var (stream, window, windowBits, codeBits) = ([UInt8](), 0, 0, 3)
        for (number, code) in codes.enumerated() {
            // The decoder's next code is the sixth one after the first pixel.
            if number >= 2, 5 + number - 1 >= 1 << codeBits, codeBits < 12 { codeBits += 1 }
            window |= code << windowBits
            windowBits += codeBits
            while windowBits >= 8 {
                stream.append(UInt8(window & 255))
                (window, windowBits) = (window >> 8, windowBits - 8)
            }
        }
        stream += [UInt8(window)] + [UInt8](repeating: 0, count: LZWDecoder.slackBytes)
        guard let decoder = LZWDecoder(rootBits: 2) else {
            Issue.record("2 bits are taken")
            return
        }
        let whole = (1...4091).reduce(0, +) + 2 * 4091
        for count in [whole, whole - 1, whole - 4090, whole - 4091, whole - 5000] {
            let (pixels, end) = decoder.decode(stream.span, count: count)
            #expect(pixels.dropFirst(LZWDecoder.rootCount).allSatisfy { $0 == 0 })
            #expect(pixels.count == LZWDecoder.rootCount + count)
            #expect(end == (count == whole ? .whole : .damaged))
        }
        let (pixels, end) = decoder.decode(stream.span, count: whole + 1)
        #expect(end == .outOfData && pixels.count == LZWDecoder.rootCount + whole)
    }

    @Test(
        "Samples of a canvas of four times the requested size are the means of two by two pixels",
        arguments: [PixelSize(width: 203, height: 151), PixelSize(width: 200, height: 90)], [nil, 17 as UInt8])
    func halved(size: PixelSize, transparent: UInt8?) throws {
        var random = SeededGenerator(seed: 0x7E57_0000_0031)
        let palette = (0..<768).map { _ in UInt8.random(in: 0...255, using: &random) }
        let rows = (0..<size.height).map { _ in
            (0..<size.width).map { _ in UInt8.random(in: 0...31, using: &random) }
        }
        let passes = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: size.height, by: $1)) }
        let plain = GIFBuilder(size, palette: palette, transparent: transparent, rows: rows)
        let interlaced = GIFBuilder(
            size, palette: palette, transparent: transparent, rows: passes.map { rows[$0] }, isInterlaced: true)
        let whole = try decode(plain.file)
        let means = whole.meansOfQuads
        let quarter = PixelSize(width: size.width / 4, height: size.height / 4)
        #expect(try samples(of: plain.file, for: quarter) == means)
        #expect(try samples(of: interlaced.file, for: quarter) == means)
        // By giflib, row by row.
        let limits = ImageLimits(maxWorkingBytes: size.pixelCount - 1)
        #expect(try samples(of: plain.file, for: quarter, limits: limits) == means)
        #expect(throws: ImageError.self) { try samples(of: interlaced.file, for: quarter, limits: limits) }
        for (wider, higher) in [(1, 0), (0, 1)] {
            let larger = PixelSize(width: quarter.width + wider, height: quarter.height + higher)
            #expect(try samples(of: plain.file, for: larger) == whole.planes)
        }
        // A frame that does not cover its canvas, or extends beyond it, is not halved.
        for (wider, higher) in [(1, 0), (0, 1), (-1, 0), (0, -1)] {
            let canvas = PixelSize(width: size.width + wider, height: size.height + higher)
            let part = GIFBuilder(size, palette: palette, transparent: transparent, rows: rows, canvas: canvas)
            let first = try samples(of: part.file, for: PixelSize(width: 10, height: 10))[0]
            #expect(first.count == canvas.pixelCount)
            let red = rows[0].map { $0 == transparent ? 0 : palette[Int($0) * 3] } + [0]
            #expect(Array(first[..<canvas.width]) == Array(red[..<canvas.width]))
        }
    }

    /// Returns the decoder's planes.
    private func samples(
        of file: [UInt8], for largest: PixelSize, limits: ImageLimits = ImageLimits()
    ) throws -> [[UInt8]] {
        try file.withUnsafeBufferPointer { bytes in
            let header = try ImageHeader.read(bytes.span)
            var decoder = try GIFDecoder(bytes, header: header, for: largest, limits: limits)
            var planes = [[UInt8]](repeating: [], count: decoder.layouts.count)
            var band = decoder.makeBand()
            for _ in 0..<decoder.bandCount {
                try decoder.decode(into: &band, from: bytes.span)
                for (index, plane) in band.planes.enumerated() {
                    planes[index] += band.samples[plane.offset..<plane.offset + plane.stride * plane.rowCount]
                }
            }
            let counts = decoder.layouts.map(\.sampleCount)
            return zip(planes, counts).map { Array($0.prefix($1)) }
        }
    }

    private struct Reading {
        let offset: Int
        let size: PixelSize
        /// The indices; nil if giflib refuses them.
        let pixels: [UInt8]?
    }

    /// Returns the pixels of the first frame from giflib, as stored; nil if there are none.
    private func giflib(_ bytes: [UInt8]) -> Reading? {
        var (fault, info) = (ccodecs_fault(), ccodecs_gif_info())
        var decoder: OpaquePointer?
        defer { ccodecs_gif_close(decoder) }
        return bytes.withUnsafeBufferPointer { buffer in
            guard ccodecs_gif_open(buffer.baseAddress, buffer.count, &decoder, &info, &fault) == .CCODECS_OK else {
                return nil
            }
            let offset = ccodecs_gif_data_offset(decoder)
            let size = info.size
            guard size.pixelCount < 1 << 20 else { return Reading(offset: offset, size: size, pixels: nil) }
            var (pixels, line) = ([UInt8](), [UInt8](repeating: 0, count: max(1, size.width)))
            for _ in 0..<size.height where size.width > 0 {
                guard ccodecs_gif_read_line(decoder, &line, &fault) == .CCODECS_OK else {
                    return Reading(offset: offset, size: size, pixels: nil)
                }
                pixels += line
            }
            return Reading(offset: offset, size: size, pixels: pixels)
        }
    }
}

extension PixelBuffer {
    fileprivate var planes: [[UInt8]] {
        (0..<channels).map { channel in stride(from: channel, to: bytes.count, by: channels).map { bytes[$0] } }
    }

    /// The means of two by two pixels in each channel; an odd last column or row counts twice.
    fileprivate var meansOfQuads: [[UInt8]] {
        (0..<channels).map { channel in
            stride(from: 0, to: size.height, by: 2).flatMap { y in
                stride(from: 0, to: size.width, by: 2).map { x in
                    let (right, below) = (min(x + 1, size.width - 1), min(y + 1, size.height - 1))
                    let sum = [(x, y), (right, y), (x, below), (right, below)].reduce(2) {
                        $0 + Int(bytes[($1.1 * size.width + $1.0) * channels + channel])
                    }
                    return UInt8(sum / 4)
                }
            }
        }
    }
}
