/// Names the format of a file that is not a supported image, for an error message.
package enum UnsupportedFormat {
    /// A noun phrase for the sentence "… is not supported".
    package static func name(of bytes: Span<UInt8>) -> String {
        for (offset, signature, name) in signatures where bytes.starts(with: signature, at: offset) { return name }
        return isText(bytes) ? nameOfText(bytes) : "this file (of an unknown kind)"
    }

    /// The offset of each format's signature, and its bytes.
    private static let signatures: [(offset: Int, signature: [UInt8], name: String)] = [
        (0, [0xFF, 0x0A], "JPEG XL"), (4, ascii("JXL \r\n"), "JPEG XL"),
        (0, [0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"), (4, ascii("jP  \r\n"), "JPEG 2000"),
        (0, ascii("II") + [0xBC], "JPEG XR"),
        (8, ascii("CR\u{2}\0"), raw), (0, ascii("FUJIFILMCCD-RAW"), raw), (0, ascii("IIU\0"), raw),
        (0, ascii("IIRO"), raw), (0, ascii("IIRS"), raw), (0, ascii("MMOR"), raw), (6, ascii("HEAPCCDR"), raw),
        (0, ascii("FOVb"), raw), (0, ascii("\0MRM"), raw), (4, ascii("ftypcrx "), raw),
        (0, ascii("II*\0"), "TIFF (or \(raw))"), (0, ascii("MM\0*"), "TIFF (or \(raw))"),
        (0, ascii("II+\0"), "BigTIFF"), (0, ascii("MM\0+"), "BigTIFF"),
        (0, ascii("BM"), "BMP"), (0, ascii("\0\0\u{1}\0"), "an icon (ICO)"), (0, ascii("8BPS"), "a Photoshop document"),
        (0, ascii("qoif"), "QOI"), (0, [0x76, 0x2F, 0x31, 0x01], "OpenEXR"), (0, ascii("BPG") + [0xFB], "BPG"),
        (0, ascii("%PDF"), "PDF"), (0, ascii("%!PS"), "PostScript"),
        (4, ascii("ftypmif3"), "a HEIF of the newest kind (mif3)"),
        (4, ascii("ftypqt  "), "QuickTime video"), (4, ascii("ftyp"), "MP4 video"),
        (4, ascii("moov"), "QuickTime video"),
        (8, ascii("AVI "), "AVI video"), (0, [0x1A, 0x45, 0xDF, 0xA3], "WebM or Matroska video"),
        (0, ascii("PK\u{3}\u{4}"), "a ZIP archive"), (0, [0x1F, 0x8B], "a gzip archive"),
    ]

    private static let raw = "a camera's raw format"

    private static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func nameOfText(_ bytes: Span<UInt8>) -> String {
        for start in 0..<min(bytes.count, 512) where bytes.starts(with: "<svg", at: start) { return "SVG" }
        return bytes.starts(with: "<!") || bytes.starts(with: "<html") ? "text (HTML)" : "text"
    }

    /// Whether the bytes are text: there are no control characters except white space, and they are UTF-8 or at least
    /// begin with letters. Only the first 512 bytes are examined.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, 512) {
            let byte = bytes[index]
            if byte == 0x7F || byte < 0x20 && !(0x09...0x0D).contains(byte) { return false }
        }
        return bytes.count > 0 && bytes[0] < 0x80 || bytes.starts(with: "\u{FEFF}") || isUTF8(bytes)
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        // The last character may be incomplete.
        let beginning = (0..<min(bytes.count, 512)).map { bytes[$0] }
        return (0...min(3, beginning.count - 1)).contains {
            String(validating: beginning.dropLast($0), as: UTF8.self) != nil
        }
    }
}
