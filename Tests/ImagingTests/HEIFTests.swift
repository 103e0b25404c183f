#if HEIF
    import Testing

    @testable import Imaging

    struct HEIFTests {
        /// The small copy in this file is grey, and the picture is not.
        @Test(
            "The embedded thumbnail is taken where it covers what is asked for, and not beyond", arguments: [160, 161])
        func thumbnail(width: Int) throws {
            let bytes = Fixture.bytes("thumbnail.heic")
            let recipe = try Recipe(parsing: "small=\(width),q95")
            let rendition = try #require(try Renderer().render(bytes.span, recipes: [recipe]).renditions.first)
            let expected = width == 160 ? "#575757" : "#dc1e1e"
            #expect(distance([try decode(rendition.bytes).corners[0]], [expected]) <= 18)
        }

        @Test("A property that turns the picture is applied once, whatever EXIF says beside it")
        func turned() throws {
            let header = try ImageHeader.read(Fixture.bytes("exif-gps.heic").span)
            #expect(header.orientation == .up)
            #expect(header.storedSize == PixelSize(width: 96, height: 72))
        }

        @Test func damagedTablesAreSafe() {
            let bytes = Fixture.bytes("grid.heic")
            for index in 0..<min(bytes.count, 900) {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[index] ^= 1 << bit
                    _ = try? ImageHeader.read(damaged.span)
                }
            }
        }
    }
#endif
