import API
import Files
import Foundation
import Imaging
import TestSupport
import Testing
import Uploads

@testable import Server

@Suite("The name, the colour and the icon of a service")
struct SiteTests {
    // MARK: - Texts

    @Test(
        "A name is one line without control characters; the white space around it is dropped",
        arguments: [
            ("Fotoclub Lindenau e.V.", "Fotoclub Lindenau e.V."), ("  Klasse 7b\t", "Klasse 7b"),
            ("<script>alert(1)</script>\"'&", "<script>alert(1)</script>\"'&"), ("👩‍👧 Familie", "👩‍👧 Familie"),
            ("מועדון הצילום\u{200F}", "מועדון הצילום\u{200F}"), (String(repeating: "a", count: 60), nil as String?),
        ])
    func names(text: String, expected: String?) throws {
        #expect(try SiteText.line(text, maxLength: SiteText.maxNameLength) == expected ?? text)
    }

    @Test(
        "Other names are refused with their fault",
        arguments: [
            ("", "empty"), (" \t ", "empty"), (String(repeating: "a", count: 61), "61 characters"),
            (String(repeating: "a", count: 10_000), "10000 characters"),
            // One character for people, but ten thousand marks.
            ("e" + String(repeating: "\u{301}", count: 10_000), "10001 characters"),
            ("a\nb", "U+000A"), ("a\u{0}b", "U+0000"), ("a\u{1B}[31mb", "U+001B"), ("a\u{2028}b", "U+2028"),
            ("abc\u{202E}cba", "U+202E"), ("\u{2066}a", "U+2066"), ("a\u{85}b", "U+0085"),
        ])
    func badNames(text: String, fault: String) {
        let error = #expect(throws: SiteText.Fault.self) {
            try SiteText.line(text, maxLength: SiteText.maxNameLength)
        }
        #expect(error?.description.contains(fault) == true, "\(error?.description ?? "")")
        #expect(error?.description.count ?? .max < 200)
    }

    @Test(
        "A link is an http address or a path",
        arguments: [
            ("https://club.example/imprint", true), ("http://club.example", true), ("/imprint", true),
            ("/imprint?a=b#c", true), ("//evil.example", false), ("/\\evil.example", false), ("imprint", false),
            ("javascript:alert(1)", false), ("data:text/html,x", false), ("https://", false), ("https:/imprint", false),
            ("https://user:word@club.example/", false), ("/a b", false), ("/a\nb", false), ("", false),
            ("ftp://club.example/", false), ("/" + String(repeating: "a", count: 3000), false),
        ])
    func addresses(text: String, isValid: Bool) {
        #expect((SiteText.address(text) != nil) == isValid, "\(text.prefix(80))")
    }

    @Test(
        "A short name has whole words, within 12 characters if the first word is",
        arguments: [
            ("Tintype", "Tintype"), ("Fotoclub Lindenau e.V.", "Fotoclub"), ("Klasse 7b am See", "Klasse 7b am"),
            ("Donaudampfschifffahrt heute", "Donaudampfschifffahrt"), ("Twelve chars", "Twelve chars"),
        ])
    func shortNames(name: String, expected: String) {
        var site = Site()
        site.name = name
        #expect(site.shortName == expected)
    }

    // MARK: - Colours

    @Test(
        "The contrast of two colours is that of WCAG",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#777777", "#ffffff", 4.48),
            ("#0000ff", "#ffffff", 8.59), ("#ff0000", "#000000", 5.25),
        ])
    func contrast(first: String, second: String, expected: Double) throws {
        let (first, second) = (try #require(RGBColor(hex: first)), try #require(RGBColor(hex: second)))
        #expect(abs(AccentColor.contrast(first, second) - expected) < 0.01)
        #expect(AccentColor.contrast(first, second) == AccentColor.contrast(second, first))
    }

    @Test(
        "Both shades of each colour can be read on all backgrounds, and a colour that can is kept",
        arguments: [
            "#000000", "#ffffff", "#ffff00", "#0000ff", "#00ff00", "#ff0000", "#808080", "#8a5a2b", "#d9a36a",
            "#FF69B4",
        ])
    func shades(hex: String) throws {
        let accent = try #require(AccentColor(hex: hex))
        for (shade, backgrounds) in [
            (accent.light, AccentColor.lightBackgrounds), (accent.dark, AccentColor.darkBackgrounds),
        ] {
            let color = try #require(RGBColor(hex: shade))
            let contrasts = try backgrounds.map { AccentColor.contrast(color, try #require(RGBColor(hex: $0))) }
            #expect(contrasts.allSatisfy { $0 >= 4.5 }, "\(shade): \(contrasts)")
            let own = try #require(RGBColor(hex: hex))
            let isReadable = try backgrounds.allSatisfy {
                AccentColor.contrast(own, try #require(RGBColor(hex: $0))) >= 4.5
            }
            #expect((shade == hex.lowercased()) == isReadable, "\(shade)")
        }
    }

    @Test(
        "Other texts are no colours",
        arguments: ["", "red", "#fff", "8a5a2b", "#8a5a2bff", "#+a5a2b", "#gggggg", " #8a5a2b"])
    func badColors(text: String) {
        #expect(AccentColor(hex: text) == nil)
    }

    @Test("The backgrounds are those of the style sheets")
    func backgrounds() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let folder = tests.appending(path: "../../Sources/CPage/Files")
        var found: Set<String> = []
        for file in ["page.css", "ops.css"] {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            found.formUnion(text.matches(of: /--(?:paper|card|wash): (#[0-9a-f]{6});/).map { String($0.1) })
        }
        #expect(found == Set(AccentColor.lightBackgrounds + AccentColor.darkBackgrounds))
    }

    // MARK: - The icon

    private func icon(_ bytes: [UInt8]) async throws -> SiteIcon {
        try await withScratch { scratch in
            try scratch.write(bytes, to: "icon")
            return try SiteIcon(
                try FileReader(path: scratch.path + "/icon"), by: InProcessRenderer(), limits: ImageLimits())
        }
    }

    @Test(
        "A picture of any format and proportion becomes squares of all sizes",
        arguments: ["photo.jpg", "size-640x480.jpg", "../Sources/CPage/Files/icon.png"])
    func squares(file: String) async throws {
        let icon = try await icon(try Fixture.bytes(file))
        #expect(icon.pictures.map(\.side) == [32, 180, 192, 512, 192, 512])
        for picture in icon.pictures {
            let header = try ImageHeader.read(picture.bytes.span)
            #expect(header.format == .png && header.size == PixelSize(width: picture.side, height: picture.side))
            let isOpaque = picture.purpose == .maskable || picture.name == SiteIcon.appleName
            #expect(!header.hasAlpha || !isOpaque, "\(picture.name)")
        }
    }

    @Test("A maskable picture is the icon within nine sixteenths of the side, on the background; versions differ")
    func maskable() async throws {
        let photo = try Fixture.bytes("photo.jpg")
        let icon = try await icon(photo)
        let picture = try #require(icon.picture(named: "icon-maskable-512.png"))
        let shown = try Renderer().render(picture.bytes.span, recipes: []).color
        let (own, behind) = (
            try Renderer().render(photo.span, recipes: []).color, try #require(RGBColor(hex: SiteIcon.background))
        )
        // The photo has three quarters of the height of a square.
        let part = 288.0 * 216 / (512 * 512)
        for channel in [\RGBColor.red, \.green, \.blue] {
            let expected = Double(own[keyPath: channel]) * part + Double(behind[keyPath: channel]) * (1 - part)
            #expect(abs(Double(shown[keyPath: channel]) - expected) < 4)
        }
        #expect(try await icon.version != self.icon(try Fixture.bytes("size-640x480.jpg")).version)
    }

    @Test("The favicon is a Windows icon with the smallest picture")
    func favicon() async throws {
        let icon = try await icon(try Fixture.bytes("photo.jpg"))
        let (bytes, picture) = (try #require(icon.favicon), try #require(icon.picture(named: "icon-32.png")))
        #expect(Array(bytes[..<8]) == [0, 0, 1, 0, 1, 0, 32, 32])
        let length = bytes[14..<18].reversed().reduce(0) { $0 << 8 | Int($1) }
        let offset = bytes[18..<22].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(offset == 22 && length == picture.bytes.count && Array(bytes[22...]) == picture.bytes)
    }

    @Test(
        "A file that is no picture, and a picture that is damaged or small, are refused",
        arguments: [("damaged.jpg", "damaged"), ("text.jpg", "text"), ("size-97x61.jpg", "97×61")])
    func badIcons(file: String, words: String) async throws {
        let error = await #expect(throws: (any Error).self) { try await icon(try Fixture.bytes(file)) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(String(describing: error))")
    }
}
