import TestSupport

#if WebP
    import Testing

    @testable import Imaging

    struct AnimationTests {
        /// A frame as it is shown, and its duration.
        private struct Shown {
            let canvas: PixelBuffer
            let milliseconds: Int

            /// Returns red, green, blue and alpha at some positions.
            func colors(_ places: [(x: Int, y: Int)]) -> [SIMD4<Int>] {
                places.map { place in
                    let pixel = (place.y * canvas.size.width + place.x) * 4
                    return SIMD4(0, 1, 2, 3).map { Int(canvas.bytes[pixel + $0]) }
                }
            }
        }

        private func frames(_ webp: [UInt8]) throws -> [Shown] {
            let header = try WebPHeader.read(webp.span)
            var decoder = try WebPAnimationDecoder(webp.span, loopCount: header.loopCount, limits: ImageLimits())
            var canvas = AnimationCanvas(header.header.storedSize)
            var frames: [Shown] = []
            while let duration = try decoder.layNext(on: &canvas, from: webp.span) {
                frames.append(Shown(canvas: canvas.pixels, milliseconds: duration))
            }
            return frames
        }

        private func rendition(_ file: String, _ recipe: String) throws -> Rendition {
            let rendered = try Renderer().render(ImageFixture.bytes(file).span, recipes: [try Recipe(parsing: recipe)])
            return try #require(rendered.renditions.first)
        }

        private static let white = SIMD4(255, 255, 255, 255)
        private static let none = SIMD4(0, 0, 0, 0)

        @Test("The frames of a GIF are disposed of as it specifies, and have the durations that browsers use")
        func gif() throws {
            let rendition = try rendition("disposal.gif", "anim=48,webp,animated,alpha,q100")
            #expect(rendition.format == .webp)
            #expect(try WebPHeader.read(rendition.bytes.span).loopCount == 5)
            let frames = try frames(rendition.bytes)
            // The frame without pixels changes nothing, so the one before it lasts longer.
            #expect(frames.map(\.milliseconds) == [50, 200, 100, 70 + 30])
            let (red, blue, green) = (SIMD4(255, 0, 0, 255), SIMD4(0, 0, 255, 255), SIMD4(0, 255, 0, 255))
            let (white, none) = (Self.white, Self.none)
            let expected = [
                [white, white, white, white, white], [red, white, white, white, white],
                [white, blue, white, white, white], [white, none, white, green, white],
            ]
            for (frame, expected) in zip(frames, expected) {
                let colors = frame.colors([(6, 6), (24, 6), (35, 6), (44, 6), (6, 26)])
                for (color, expected) in zip(colors, expected) {
                    let difference = color &- expected
                    #expect((0..<4).allSatisfy { abs(difference[$0]) <= 24 }, "\(color) is not \(expected)")
                }
            }
        }

        @Test("The frames of a WebP are blended and cleared as it specifies")
        func webp() throws {
            let rendition = try rendition("animated.webp", "anim=96,webp,animated,alpha,q100")
            #expect(try WebPHeader.read(rendition.bytes.span).loopCount == 3)
            let frames = try frames(rendition.bytes)
            #expect(frames.map(\.milliseconds) == [100, 200, 50])
            // In the red patch; where the half-transparent blue patch is over nothing; where it is over the image.
            let places = [(x: 44, y: 33), (x: 51, y: 39), (x: 62, y: 46)]
            #expect(frames[1].colors(places)[0].x > 220)
            let last = frames[2].colors(places)
            #expect(last[0].w == 0)
            #expect((100...156).contains(last[1].w))
            #expect(last[2].w == 255 && last[2].z > frames[0].colors(places)[2].z)
        }

        @Test("Each frame has the size of the still rendition, and the first one is its image", arguments: [40, 96])
        func size(side: Int) throws {
            let still = try rendition("animated.webp", "still=\(side)x30,cover,webp,q95")
            let moving = try rendition("animated.webp", "anim=\(side)x30,cover,webp,animated,q95")
            #expect(moving.size == still.size)
            #expect(try ImageHeader.read(moving.bytes.span).size == still.size)
            let first = try #require(try frames(moving.bytes).first?.canvas)
            let mean = try #require(first.flattened(on: .white).meanDifference(from: try decode(still.bytes)))
            #expect(mean < 4)
        }

        @Test("A still image is not an animation", arguments: ["plain.gif", "lossy.webp", "rgb-8.png"])
        func still(file: String) throws {
            let still = try rendition(file, "a=64,webp")
            let animated = try rendition(file, "a=64,webp,animated")
            #expect(animated.bytes == still.bytes)
        }

        @Test("Every frame costs as much as the canvas")
        func budget() throws {
            let bytes = ImageFixture.bytes("animated.gif")
            let recipe = try Recipe(parsing: "anim=64,webp,animated")
            let limits = ImageLimits(maxFramePixels: 3 * 96 * 72 - 1)
            let error = #expect(throws: ImageError.self) {
                try Renderer(limits: limits).render(bytes.span, recipes: [recipe])
            }
            #expect(error?.code == .tooManyFrames)
            _ = try Renderer(limits: limits).render(bytes.span, recipes: [try Recipe(parsing: "still=64,webp")])
        }

        @Test("Transparent room around opaque frames is announced as alpha", arguments: [(16, true), (32, false)])
        func room(side: Int, isAnnounced: Bool) throws {
            let frame = PixelSize(width: side, height: side)
            let rows = [0, 255].map { [[UInt8]](repeating: [UInt8](repeating: $0, count: side), count: side) }
            let grays = (0...255).flatMap { [UInt8](repeating: UInt8($0), count: 3) }
            var gif = GIFBuilder(
                frame, palette: grays, transparent: nil, rows: rows[0], canvas: PixelSize(width: 32, height: 32))
            gif.addFrame(frame, rows: rows[1])
            let recipe = try Recipe(parsing: "anim=32,webp,animated,alpha")
            let rendered = try Renderer().render(gif.bytes.span, recipes: [recipe])
            let webp = try #require(rendered.renditions.first?.bytes)
            #expect(Array(webp[12..<16]) == Array("VP8X".utf8))
            #expect((webp[20] & 0x10 != 0) == isAnnounced)
            #expect(try frames(webp).count == 2)
        }

        @Test(arguments: ["disposal.gif", "animated.gif", "animated-24x16.webp"])
        func damage(file: String) throws {
            let bytes = ImageFixture.bytes(file)
            let recipe = try Recipe(parsing: "anim=12,webp,animated")
            var random = SeededGenerator(seed: 0x7E57_0000_0005)
            for _ in 0..<300 {
                var damaged = bytes
                let bit = Int.random(in: 0..<damaged.count * 8, using: &random)
                damaged[bit / 8] ^= 1 << (bit % 8)
                _ = try? Renderer(limits: ImageLimits(maxPixels: 100_000)).render(damaged.span, recipes: [recipe])
            }
        }
    }

    extension SIMD4<Int> {
        fileprivate func map(_ transform: (Int) -> Int) -> SIMD4<Int> {
            SIMD4(transform(x), transform(y), transform(z), transform(w))
        }
    }
#endif
