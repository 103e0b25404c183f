/// Names what was sent instead of a picture that we read, so that a refusal can say it.
enum ForeignFormat {
    /// A noun phrase for the sentence "… is not supported".
    static func name(of bytes: Span<UInt8>) -> String {
        if bytes.starts(with: "ftypqt  ", at: 4) { return "QuickTime video" }
        if bytes.starts(with: "ftypcrx ", at: 4) { return "a camera's raw format" }
        if bytes.starts(with: "ftyp", at: 4) { return "MP4 video" }
        if bytes.starts(with: "II*\0") || bytes.starts(with: "MM\0*") { return "TIFF (or a camera's raw format)" }
        if bytes.starts(with: "BM") { return "BMP" }
        if bytes.starts(with: "%PDF") { return "PDF" }
        if bytes.starts(with: "8BPS") { return "a Photoshop document" }
        if bytes.starts(with: "PK\u{3}\u{4}") { return "a ZIP archive" }
        if bytes.byte(at: 0) == 0xFF, bytes.byte(at: 1) == 0x0A { return "JPEG XL" }
        if bytes.starts(with: "\0\0\0\u{C}JXL ") { return "JPEG XL" }
        if bytes.starts(with: "\0\0\0\u{C}jP  ") { return "JPEG 2000" }
        return isText(bytes) ? nameOfText(bytes) : "this file (of an unknown kind)"
    }

    private static func nameOfText(_ bytes: Span<UInt8>) -> String {
        for start in 0..<min(bytes.count, 512) where bytes.starts(with: "<svg", at: start) { return "SVG" }
        return bytes.starts(with: "<!") || bytes.starts(with: "<html") ? "text (HTML)" : "text"
    }

    /// Text has no control characters but white space; what comes after the first 512 bytes is not looked at.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, 512) {
            let byte = bytes[index]
            if byte == 0x7F || byte < 0x20 && !(0x09...0x0D).contains(byte) { return false }
        }
        return true
    }
}
