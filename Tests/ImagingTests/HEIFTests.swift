#if HEIF
    import Testing

    @testable import Imaging

    struct HEIFTests {
        private static func rendition(_ bytes: [UInt8], _ recipe: String) throws -> [UInt8] {
            try #require(try Renderer().render(bytes.span, recipes: [try Recipe(parsing: recipe)]).renditions.first)
                .bytes
        }

        /// The thumbnails in these files are grey, of 320×240 pixels, and the images are not grey.
        @Test(
            "An embedded thumbnail is used if it has twice the requested size, and the size that its file states",
            arguments: [
                ("thumbnail-320.heic", 160, true), ("thumbnail-320.heic", 161, false),
                ("thumbnail-of-two-sizes.heic", 160, false),
            ])
        func thumbnail(file: String, width: Int, isTaken: Bool) throws {
            let rendition = try HEIFTests.rendition(ImageFixture.bytes(file), "small=\(width),q95")
            let expected = isTaken ? "#575757" : "#dc1e1e"
            #expect(distance([try decode(rendition).corners[0]], [expected]) <= 18)
        }

        /// The thumbnail in this photo has 240×180 pixels of a low quality.
        @Test("An embedded thumbnail gives a similar rendition to that of the image", arguments: [120, 121, 240])
        func likeness(width: Int) throws {
            let photo = ImageFixture.bytes("photo.heic")
            let alone = Array(photo.replacing("thmb".utf8, with: "none".utf8))
            #expect(alone != photo)
            let recipe = "small=\(width),q95"
            let (one, other) = (try HEIFTests.rendition(photo, recipe), try HEIFTests.rendition(alone, recipe))
            #expect((one == other) == (width > 120))
            #expect(try decode(one).similarity(to: decode(other)) > 0.97)
        }

        @Test("A property that turns the image is applied once, whatever EXIF contains")
        func turned() throws {
            let header = try ImageHeader.read(ImageFixture.bytes("exif-gps.heic").span)
            #expect(header.orientation == .left)
            #expect(header.size == PixelSize(width: 96, height: 72))
        }

        @Test("Two turns are combined into one", arguments: Orientation.allCases)
        func turns(first: Orientation) throws {
            let size = PixelSize(width: 3, height: 2)
            let plane = Plane(layout: PlaneLayout(size), samples: Array(0..<6))
            for second in Orientation.allCases {
                let expected = plane.upright(first).upright(second)
                #expect(plane.upright(first.followed(by: second)) == expected)
            }
        }

        @Test(
            "An image that does not fit into memory is refused with the figure, and tiles are decoded row by row",
            arguments: [
                ("large-deep.avif", 16, "needs 26 MiB of memory; the limit is 16 MiB"), ("large-deep.avif", 26, nil),
                ("large.heic", 29, "needs 30 MiB of memory; the limit is 29 MiB"), ("large.heic", 30, nil),
            ])
        func memory(file: String, mebibytes: Int, refusal: String?) throws {
            let renderer = Renderer(limits: ImageLimits(maxWorkingBytes: mebibytes * 1_048_576))
            let recipes = [try Recipe(parsing: "small=64")]
            guard let refusal else {
                _ = try renderer.render(ImageFixture.bytes(file).span, recipes: recipes)
                return
            }
            let error = #expect(throws: ImageError.self) {
                _ = try renderer.render(ImageFixture.bytes(file).span, recipes: recipes)
            }
            #expect(error?.code == .tooMuchMemory)
            #expect(error?.message.contains(refusal) == true, "\(error?.message ?? "")")
        }

        @Test func damagedTablesAreSafe() {
            let bytes = ImageFixture.bytes("grid.heic")
            for index in 0..<min(bytes.count, 900) {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[index] ^= 1 << bit
                    _ = try? ImageHeader.read(damaged.span)
                }
            }
        }
    }

    extension PixelBuffer {
        /// The mean structural similarity of the luma of squares of 8×8 pixels (Z. Wang et al., "Image quality
        /// assessment: from error visibility to structural similarity", 2004).
        fileprivate func similarity(to other: PixelBuffer) -> Double {
            var (sum, count) = (0.0, 0.0)
            for top in stride(from: 0, through: size.height - 8, by: 4) {
                for left in stride(from: 0, through: size.width - 8, by: 4) {
                    sum += similarity(to: other, left: left, top: top)
                    count += 1
                }
            }
            return sum / count
        }

        private func similarity(to other: PixelBuffer, left: Int, top: Int) -> Double {
            var sums = SIMD8<Double>.zero
            for y in top..<top + 8 {
                for x in left..<left + 8 {
                    let (a, b) = (luma(x: x, y: y), other.luma(x: x, y: y))
                    sums += SIMD8(a, b, a * a, b * b, a * b, 0, 0, 0)
                }
            }
            let mean = sums / 64
            let (a, b) = (mean[0], mean[1])
            let (varianceA, varianceB, covariance) = (mean[2] - a * a, mean[3] - b * b, mean[4] - a * b)
            let (c1, c2) = (6.5025, 58.5225)
            return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
        }

        private func luma(x: Int, y: Int) -> Double {
            let color = color(x: x, y: y)
            return 0.299 * Double(color.x) + 0.587 * Double(color.y) + 0.114 * Double(color.z)
        }
    }
#endif
