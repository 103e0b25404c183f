#if os(Linux)
    import Testing

    @testable import Imaging

    /// Tests of the renderer in a process of its own, so that all memory is the renderer's.
    struct MemoryTests {
        /// An image, its recipes, and the limit of the memory for them.
        private struct Row: Sendable {
            let name: String
            let recipes: [String]
            let bound: MemoryBound
            let make: @Sendable () throws -> [UInt8]
        }

        private static let usual = ["full=1280", "small=640", "thumb=320", "tile=150,cover"]
        private static let many = (1...20).map { "size\($0)=\($0 * 64)" }

        private static func square(_ side: Int) -> PixelSize { PixelSize(width: side, height: side) }

        /// Returns a progressive image with all of its coefficients.
        private static func wholeProgressive(_ side: Int) -> [UInt8] {
            var jpeg = JPEGBuilder(side, side, .progressive, factors: [0x11, 0x11, 0x11])
            jpeg.addDCScan()
            for component in 1...3 as ClosedRange<UInt8> { jpeg.addEmptyScans(1, component: component) }
            return jpeg.file
        }

        /// 50 and 100 megapixels where a debug build is fast enough, and fewer where every byte is in proportion.
        private static let rows = [
            Row(
                name: "100 megapixels of JPEG, many sizes", recipes: many,
                bound: MemoryBound(.yCbCr, square(10_000), divisor: 2, samplesPerPixel: 1.5)
            ) { JPEGBuilder.grey(10_000, 10_000).file },
            Row(
                name: "200 megapixels of JPEG", recipes: ["full=1280", "tile=150,cover"],
                bound: MemoryBound(
                    .yCbCr, PixelSize(width: 16_320, height: 12_240), divisor: 4, samplesPerPixel: 1.5)
            ) { JPEGBuilder.grey(16_320, 12_240).file },
            Row(
                name: "a JPEG as wide as may be", recipes: usual,
                bound: MemoryBound(.yCbCr, PixelSize(width: 30_000, height: 400), samplesPerPixel: 1.5)
            ) { JPEGBuilder.grey(30_000, 400).file },
            Row(
                name: "a JPEG at its own size", recipes: ["a=2000,progressive"],
                bound: MemoryBound(.yCbCr, square(2000), samplesPerPixel: 1.5)
            ) { JPEGBuilder.grey(2000, 2000).file },
            Row(
                name: "a wide-gamut JPEG, turned, at its own size", recipes: ["a=1000,progressive"],
                bound: MemoryBound(.yCbCr, square(1000), samplesPerPixel: 1.5)
            ) { ImageFixture.dressed(JPEGBuilder.grey(1000, 1000), as: "profile-p3.jpg", orientation: 6) },
            Row(
                name: "40 megapixels of progressive JPEG", recipes: usual,
                bound: MemoryBound(.yCbCr, square(6320), samplesPerPixel: 3, workingBytes: 6320 * 6328 * 6)
            ) {
                var jpeg = JPEGBuilder(6320, 6320, .progressive, factors: [0x11, 0x11, 0x11])
                jpeg.addDCScan()
                jpeg.addEmptyScans(1)
                return jpeg.file
            },
            Row(
                name: "a whole progressive JPEG at its own size", recipes: ["a=2000"],
                bound: MemoryBound(.yCbCr, square(2000), samplesPerPixel: 3, workingBytes: 2000 * 2000 * 3 * 17 / 8)
            ) { wholeProgressive(2000) },
            Row(
                name: "200 megapixels of progressive JPEG, an eighth of which is enough", recipes: ["a=640"],
                bound: MemoryBound(
                    .yCbCr, square(14_160), divisor: 8, samplesPerPixel: 3, workingBytes: 1770 * 1770 * 6)
            ) { wholeProgressive(14_160) },
            Row(
                name: "25 megapixels of ink", recipes: usual,
                bound: MemoryBound(.cmyk, square(5000), samplesPerPixel: 4)
            ) { JPEGBuilder.grey(5000, 5000, factors: [0x11, 0x11, 0x11, 0x11]).file },
            Row(
                name: "ink with a profile at its own size", recipes: ["a=800"],
                bound: MemoryBound(.cmyk, square(800), samplesPerPixel: 4)
            ) {
                let ink = JPEGBuilder.grey(800, 800, factors: [0x11, 0x11, 0x11, 0x11])
                return ImageFixture.dressed(ink, as: "profile-cmyk.jpg", orientation: 5)
            },
            Row(
                name: "50 megapixels of PNG", recipes: usual,
                bound: MemoryBound(
                    .rgb, PixelSize(width: 10_000, height: 5000), samplesPerPixel: 1, workingBytes: 50_005_000)
            ) { PNGBuilder.black(10_000, 5000, .grey) },
            Row(
                name: "50 megapixels of PNG, row by row", recipes: usual,
                bound: MemoryBound(.rgb, PixelSize(width: 10_000, height: 5000), samplesPerPixel: 3)
            ) { PNGBuilder.black(10_000, 5000, .rgb) },
            Row(
                name: "50 megapixels of interlaced PNG", recipes: usual,
                bound: MemoryBound(
                    .rgb, PixelSize(width: 10_000, height: 5000), samplesPerPixel: 1, workingBytes: 50_000_000)
            ) { PNGBuilder.black(10_000, 5000, .grey, isInterlaced: true) },
            Row(
                name: "an interlaced PNG with alpha at its own size", recipes: ["a=1000,alpha"],
                bound: MemoryBound(.rgba, square(1000), samplesPerPixel: 4, workingBytes: 4_000_000)
            ) { PNGBuilder.black(1000, 1000, .rgba, isInterlaced: true) },
            Row(
                name: "an interlaced GIF", recipes: usual,
                bound: MemoryBound(.rgb, square(2000), samplesPerPixel: 3, workingBytes: 4_000_000)
            ) {
                var gif = GIFBuilder(2000, 2000)
                gif.addFrame(2000, 2000, pixels: 4_000_000, isInterlaced: true)
                return gif.file
            },
        ]

        #if WebP && HEIF
            private static let optional = [
                Row(
                    name: "alpha as WebP", recipes: ["a=1000,webp,alpha"],
                    bound: MemoryBound(.rgba, square(1000), samplesPerPixel: 4, workingBytes: 4_001_000)
                ) { PNGBuilder.black(1000, 1000, .rgba) },
                Row(
                    name: "a flattened PNG, and as WebP", recipes: ["a=1000", "b=999,webp"],
                    bound: MemoryBound(.rgba, square(1000), samplesPerPixel: 4, workingBytes: 4_001_000)
                ) { PNGBuilder.black(1000, 1000, .rgba) },
                Row(
                    name: "a lossy WebP", recipes: usual,
                    bound: MemoryBound(.yCbCr, square(2000), samplesPerPixel: 1.5, workingBytes: 6_000_000)
                ) {
                    try WebPCodec().encode(PixelBuffer(size: square(2000), channels: 3), EncodingOptions(quality: 50))
                },
                Row(
                    name: "a WebP with alpha", recipes: usual,
                    bound: MemoryBound(.rgba, square(1000), samplesPerPixel: 4, workingBytes: 8_000_000)
                ) {
                    try WebPCodec().encode(PixelBuffer(size: square(1000), channels: 4), EncodingOptions(quality: 50))
                },
                Row(
                    name: "50 megapixels of HEIC", recipes: usual,
                    bound: MemoryBound(
                        .yCbCr, PixelSize(width: 8192, height: 6144), samplesPerPixel: 1.5,
                        workingBytes: 16 * (512 * 512 * 7 / 2 + 1_048_576))
                ) { ImageFixture.bytes("large.heic") },
                Row(
                    name: "50 megapixels of AVIF", recipes: usual,
                    bound: MemoryBound(
                        .yCbCr, PixelSize(width: 8192, height: 6144), samplesPerPixel: 1.5,
                        workingBytes: 16 * (640 * 640 * 5 / 2 + 2_097_152))
                ) { ImageFixture.bytes("large.avif") },
                Row(
                    name: "an AVIF of 10 bits with all of its chroma", recipes: ["thumb=320"],
                    bound: MemoryBound(
                        .yCbCr, PixelSize(width: 2000, height: 1500), samplesPerPixel: 3,
                        workingBytes: 2128 * 1628 * 7 + 2_097_152)
                ) { ImageFixture.bytes("large-deep.avif") },
            ]
        #else
            private static let optional: [Row] = []
        #endif

        @Test("Rendering uses no more memory than Renderer documents", .timeLimit(.minutes(10)))
        func bounds() async {
            await #expect(processExitsWith: .success) {
                // Data that are read and computed once.
                for file in ["baseline-420.jpg", "rgba-8.png", "profile-p3.jpg", "profile-cmyk.jpg"] {
                    _ = try Renderer().render(ImageFixture.bytes(file).span, recipes: Recipe.defaults)
                }
                for row in MemoryTests.rows + MemoryTests.optional { try MemoryTests.check(row) }
            }
        }

        private static func check(_ row: Row) throws {
            let bytes = try row.make()
            let recipes = try row.recipes.map { try Recipe(parsing: $0) }
            var sizes: [PixelSize] = []
            let increase = try PeakMemory.increase {
                sizes = try Renderer().render(bytes.span, recipes: recipes).renditions.map(\.size)
            }
            let bound = row.bound.bytes(for: sizes + [PixelSize(width: 100, height: 100)])
            #expect(sizes.count == recipes.count)
            #expect(increase <= bound, "\(row.name): \(increase) bytes, and not \(bound)")
        }
    }

    extension ImageFixture {
        /// Returns an image with the profile of a fixture, and an orientation.
        fileprivate static func dressed(_ jpeg: JPEGBuilder, as file: String, orientation: Int) -> [UInt8] {
            var (jpeg, offset) = (jpeg, 2)
            let bytes = ImageFixture.bytes(file)
            while let (marker, payload) = try? JPEGHeader.nextSegment(bytes.span, &offset), marker != 0xDA {
                // APP2 contains the profile, and APP14 the kinds of the components.
                if marker == 0xE2 || marker == 0xEE { jpeg.insert(marker, Array(bytes[payload])) }
            }
            let tiff =
                Array("MM\0*".utf8) + bigEndian(8) + [0, 1] + bigEndian(0x112_0003) + bigEndian(1)
                + bigEndian(orientation << 16)
            jpeg.insert(0xE1, Array("Exif\0\0".utf8) + tiff + bigEndian(0))
            return jpeg.file
        }
    }
#endif
