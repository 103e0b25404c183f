#if HEIF
    import Testing

    @testable import Imaging

    @Suite("A valid but rare HEIC is read, or refused by its name; a broken one is reported as damaged")
    struct HEIFKindsTests {
        /// The only item of a fixture: 96×72 pixels.
        private static let plain: HEIFBuilder.Item = {
            let bytes = ImageFixture.bytes("plain.heic")
            guard let items = try? HEIFItems(bytes.span, format: .heic), let data = try? items.data(of: 1, bytes.span)
            else { return HEIFBuilder.Item(type: "none") }
            let properties = items.properties(of: 1).map { Array(bytes[$0.type - 4..<$0.payload.upperBound]) }
            return HEIFBuilder.Item(type: "hvc1", properties: properties, data: data)
        }()

        private static func changed(_ change: (inout HEIFBuilder.Item) -> Void) -> HEIFBuilder.Item {
            var item = plain
            change(&item)
            return item
        }

        private static func of(_ type: String) -> HEIFBuilder.Item { changed { $0.type = type } }

        private static func derived(_ type: String, _ parts: [Int], data: [UInt8] = []) -> HEIFBuilder.Item {
            HEIFBuilder.Item(
                type: type, properties: [HEIFBuilder.size(96, 72)], data: data, references: [("dimg", parts)])
        }

        private static func grid(_ parts: [Int]) -> HEIFBuilder.Item {
            derived("grid", parts, data: HEIFBuilder.grid(columns: 1, rows: 1, width: 96, height: 72))
        }

        // MARK: Refused by name

        private static func unsupported(
            _ name: String, _ file: HEIFBuilder, _ message: String, hint: String = "of the usual kind"
        ) -> Refusal {
            Refusal(testDescription: name, bytes: file.bytes, code: .unsupportedFormat, message: message, hint: hint)
        }

        private static let film = [HEIFBuilder.box("moov", HEIFBuilder.box("mvhd", [UInt8](repeating: 0, count: 100)))]

        static let unsupported =
            [
                ("jpeg", "as JPEG (jpeg)"), ("j2k1", "as JPEG 2000 (j2k1)"), ("avc1", "as H.264 (avc1)"),
                ("vvc1", "as H.266/VVC (vvc1)"), ("evc1", "as EVC (evc1)"), ("lhv1", "as layered HEVC (lhv1)"),
                ("unci", "not compressed (unci)"), ("abcd", "the kind \"abcd\""), ("\u{1B}[2J", "an unknown kind"),
            ].map { type, message in
                unsupported("coded as \(type.debugDescription)", HEIFBuilder(items: [of(type)]), message)
            }
            + ["jpeg", "avci", "j2ki", "jxsi", "vvic", "evbi", "evmi", "mif2", "miaf"].map { brand in
                unsupported("the brand \(brand) alone", HEIFBuilder(brands: [brand], items: [of("none")]), "HEIC with")
            }
            + [
                unsupported(
                    "an overlay", HEIFBuilder(items: [derived("iovl", [2]), plain]), "overlay of pictures (iovl)"),
                unsupported(
                    "a gain map", HEIFBuilder(items: [derived("tmap", [2, 2]), plain]), "gain map together (tmap)"),
                unsupported("a grid of JPEGs", HEIFBuilder(items: [grid([2]), of("jpeg")]), "as JPEG (jpeg)"),
                unsupported(
                    "a grid of overlays", HEIFBuilder(items: [grid([2]), derived("iovl", [3]), plain]), "(iovl)"),
                unsupported(
                    "an image of an image of an image",
                    HEIFBuilder(items: [derived("iden", [2]), derived("iden", [3]), plain]), "pictures in pictures",
                    hint: "HEIC or AVIF"),
                unsupported(
                    "alpha that is not compressed",
                    HEIFBuilder(
                        items: [
                            plain,
                            changed {
                                $0.type = "unci"
                                $0.properties.append(
                                    HEIFBuilder.fullBox(
                                        "auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)))
                                $0.references = [("auxl", [1])]
                            },
                        ]), "not compressed (unci)"),
                unsupported(
                    "predicted from another picture",
                    HEIFBuilder(items: [changed { $0.references = [("pred", [2])] }, plain]), "predicted from others"),
                unsupported(
                    "protected", HEIFBuilder(items: [changed { $0.protection = 1 }]), "protected or encrypted",
                    hint: "without protection"),
                unsupported(
                    "a grid of protected tiles", HEIFBuilder(items: [grid([2]), changed { $0.protection = 1 }]),
                    "protected or encrypted", hint: "without protection"),
                unsupported(
                    "data in another file",
                    HEIFBuilder(
                        items: [changed { $0.source = 2 }],
                        tables: [HEIFBuilder.sources(isOtherFile: [false, true])]), "are in another file",
                    hint: "as one file"),
                unsupported(
                    "data in another item", HEIFBuilder(items: [changed { $0.method = 2 }, plain]),
                    "of other items (construction method 2)"),
                unsupported(
                    "a second layer, as of stereo",
                    HEIFBuilder(items: [changed { $0.data += [0, 0, 0, 4, 0x26, 0x09, 0xAF, 0] }]),
                    "several layers (multilayer HEVC)"),
                unsupported(
                    "an image sequence", HEIFBuilder(brands: ["msf1", "hevc", "iso8"], boxes: film),
                    "HEIC that is a film or an animation", hint: "Save one of its pictures"),
                unsupported(
                    "an animated AVIF without a still picture", HEIFBuilder(brands: ["avis", "msf1"], boxes: film),
                    "AVIF that is a film or an animation", hint: "Save one of its pictures"),
                unsupported(
                    "a film with an empty table of items",
                    HEIFBuilder(brands: ["msf1"], primary: nil, tables: [HEIFBuilder.box("free", [])], boxes: film),
                    "HEIC that is a film or an animation", hint: "Save one of its pictures"),
                unsupported(
                    "no primary item", HEIFBuilder(items: [plain], primary: nil),
                    "does not specify its primary picture"),
                unsupported("nothing but a brand", HEIFBuilder(), "without a still picture"),
                unsupported(
                    "an AVIF of the low-overhead kind",
                    HEIFBuilder(
                        brands: ["mif3", "avif"], boxes: [HEIFBuilder.box("mini", [UInt8](repeating: 7, count: 40))]),
                    "AVIF of the low-overhead kind (mini)"),
            ]

        // MARK: Damaged

        private static func corrupt(_ name: String, _ file: HEIFBuilder, _ message: String) -> Refusal {
            Refusal(testDescription: name, bytes: file.bytes, code: .corrupt, message: message, hint: "another copy")
        }

        static let corrupt = [
            corrupt("no item of that number", HEIFBuilder(items: [plain], primary: 7), "a picture that is not there"),
            corrupt(
                "no HEVC", HEIFBuilder(items: [changed { $0.data = [UInt8](repeating: 9, count: 400) }]),
                "contradicts its properties"),
            corrupt("no data", HEIFBuilder(items: [changed { $0.data = [] }]), "contradicts its properties"),
            corrupt("no size", HEIFBuilder(items: [changed { $0.properties.removeLast() }]), "without a size"),
            corrupt("an image of nothing", HEIFBuilder(items: [derived("iden", [])]), "no source picture"),
            corrupt("an image of two", HEIFBuilder(items: [derived("iden", [2, 2]), plain]), "no source picture"),
            corrupt("an image of what is not there", HEIFBuilder(items: [derived("iden", [2])]), "not there"),
            corrupt("a grid without its tile", HEIFBuilder(items: [grid([])]), "without all of its tiles"),
            corrupt("a grid of what is not there", HEIFBuilder(items: [grid([2])]), "without a size"),
            corrupt(
                "the primary item, named twice",
                HEIFBuilder(items: [plain], tables: [HEIFBuilder.fullBox("pitm", [0, 1])]), "its tables"),
        ]

        @Test(arguments: unsupported + corrupt)
        func refused(_ refusal: Refusal) {
            refusal.check { () throws(ImageError) in
                _ = try Renderer().render(refusal.bytes.span, recipes: Recipe.defaults)
            }
        }

        // MARK: Read

        struct Readable: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let file: HEIFBuilder
        }

        /// Returns the item with lengths of this many bytes before its units; the configuration holds the number in two
        /// bits.
        private static func framed(lengthSize: Int) -> HEIFBuilder.Item {
            changed { item in
                for index in item.properties.indices where item.properties[index].starts(with: "hvcC", at: 4) {
                    item.properties[index][8 + 21] = 0xFC | UInt8(lengthSize - 1)
                }
                var units = Fields(in: 0..<item.data.count)
                var framed: [UInt8] = []
                while let length = units.next(4, item.data.span), let unit = units.skip(length) {
                    framed += HEIFBuilder.number(length, bytes: lengthSize) + item.data[unit]
                }
                item.data = framed
            }
        }

        static let readable = [
            Readable(testDescription: "as it is", file: HEIFBuilder(items: [plain])),
            Readable(testDescription: "anew", file: HEIFBuilder(items: [derived("iden", [2]), plain])),
            Readable(
                testDescription: "a grid anew", file: HEIFBuilder(items: [derived("iden", [2]), grid([3]), plain])),
            Readable(
                testDescription: "data beside the tables", file: HEIFBuilder(items: [changed { $0.method = 1 }])),
            Readable(
                testDescription: "data in this file, by a reference",
                file: HEIFBuilder(
                    items: [changed { $0.source = 1 }], tables: [HEIFBuilder.sources(isOtherFile: [false, true])])),
            Readable(
                testDescription: "two boxes of nobody knows what",
                file: HEIFBuilder(
                    items: [plain], tables: [HEIFBuilder.box("uuid", [1]), HEIFBuilder.box("uuid", [2])])),
            Readable(
                testDescription: "beside a film", file: HEIFBuilder(items: [plain], boxes: film)),
            Readable(
                testDescription: "protected metadata",
                file: HEIFBuilder(items: [plain, HEIFBuilder.Item(type: "Exif", data: [0], protection: 1)])),
            Readable(
                testDescription: "an auxiliary picture alone",
                file: HEIFBuilder(items: [changed { $0.references = [("auxl", [9])] }])),
            Readable(testDescription: "lengths of two bytes", file: HEIFBuilder(items: [framed(lengthSize: 2)])),
            Readable(testDescription: "lengths of three bytes", file: HEIFBuilder(items: [framed(lengthSize: 3)])),
        ]

        @Test("A rare file that can be read looks like the usual file", arguments: readable)
        func read(_ row: Readable) throws {
            #expect(try decode(row.file.bytes) == decode(ImageFixture.bytes("plain.heic")))
        }

        @Test("A derived image is turned and cut by the properties of its source, and then by its own")
        func turned() throws {
            let turn = HEIFBuilder.box("irot", [1])
            let once = HEIFBuilder(items: [Self.changed { $0.properties += [turn, turn] }])
            var outer = Self.derived("iden", [2])
            outer.properties += [turn]
            let twice = HEIFBuilder(items: [outer, Self.changed { $0.properties.append(turn) }])
            let recipes = [try Recipe(parsing: "half=48,png")]
            let expected = try Renderer().render(once.bytes.span, recipes: recipes)
            #expect(expected.header.orientation == .down)
            #expect(try Renderer().render(twice.bytes.span, recipes: recipes).renditions == expected.renditions)
        }
    }

    extension [UInt8] {
        fileprivate func starts(with text: String, at offset: Int) -> Bool { span.starts(with: text, at: offset) }
    }
#endif
