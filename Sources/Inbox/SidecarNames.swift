import Files
import Foundation
import Imaging

/// The names of documents and other files that photo programs store beside a photo.
///
/// Google Takeout names its documents `PHOTO.supplemental-metadata.json`, cut to 46 characters before the ending, and
/// moves the number of `PHOTO(1).jpg` to the end: `PHOTO.jpg.supplemental-metadata(1).json`.
enum SidecarNames {
    private static let takeout = "supplemental-metadata"
    /// The number of characters that Takeout leaves before `.json`.
    private static let takeoutLength = 46
    private static let videos: Set<String> = ["mov", "mp4"]
    private static let photos = ImageFormat.allCases.flatMap(\.fileExtensions)

    /// Returns the possible JSON documents of a photo, in the order of precedence.
    static func documents(of photo: String) -> [String] {
        var names = [photo + Sidecar.suffix]
        let (plain, number) = withoutNumber(photo)
        for (name, number) in [(photo, ""), (plain, number)] where name == photo || !number.isEmpty {
            // The name is never cut before the dot.
            names += (0...takeout.count).reversed().map { "\(name).\(takeout.prefix($0))\(number)\(Sidecar.suffix)" }
            if !number.isEmpty { names.append(name + number + Sidecar.suffix) }
        }
        if photo.count > takeoutLength { names.append(photo.prefix(takeoutLength) + Sidecar.suffix) }
        return forms(of: names)
    }

    /// Returns the photos to which a document may belong by its name, the likeliest first, except those of which only
    /// the beginning of the name is known.
    static func photos(of document: String) -> [String] {
        guard let base = Sidecar.photoName(of: document), !base.isEmpty else { return [] }
        let (plain, number) = withoutNumber(base)
        var names = [base]
        for (base, number) in [(base, ""), (plain, number)] {
            guard let dot = base.lastIndex(of: "."), takeout.hasPrefix(base[base.index(after: dot)...]) else {
                continue
            }
            names.append(withNumber(String(base[..<dot]), number))
        }
        if !number.isEmpty { names.append(withNumber(plain, number)) }
        return forms(of: names.filter { !$0.isEmpty && documents(of: $0).contains(document) })
    }

    /// Returns the beginning of the name of a document's photo if the whole name was too long for Takeout.
    static func photoPrefix(of document: String) -> String? {
        Sidecar.photoName(of: document).flatMap { $0.count == takeoutLength ? $0 : nil }
    }

    /// Returns the possible XMP documents of a photo, in the order of precedence. They are not moved.
    static func xmp(of photo: String) -> [String] {
        let stem = stem(of: photo)
        return forms(of: [".xmp", ".XMP"].flatMap { [photo + $0, stem + $0] })
    }

    /// Whether a file contains texts about a photo, by its name.
    static func isText(_ name: String) -> Bool { name.hasSuffix(Sidecar.suffix) || ending(of: name) == "xmp" }

    /// Whether a file may be the video of a Live Photo.
    static func isVideo(_ name: String) -> Bool { videos.contains(ending(of: name)) }

    /// Returns the possible names of the still image of a Live Photo.
    static func stills(of video: String) -> [String] {
        let stem = stem(of: video)
        return forms(of: photos.flatMap { ["\(stem).\($0)", "\(stem).\($0.uppercased())"] })
    }

    /// Returns the names, and their other Unicode normalization forms: a Mac may write the photo's name in NFD, and
    /// another program its document's in NFC (Unicode Standard Annex 15).
    private static func forms(of names: [String]) -> [String] {
        names.flatMap { name in
            guard name.utf8.contains(where: { $0 >= 0x80 }) else { return [name] }
            let others = [name.precomposedStringWithCanonicalMapping, name.decomposedStringWithCanonicalMapping]
            return [name] + others.filter { !$0.utf8.elementsEqual(name.utf8) }
        }
    }

    private static func ending(of name: String) -> String {
        name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    private static func stem(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// Splits `a(1).jpg` into `a.jpg` and `(1)`, and `a.jpg(1)` likewise.
    private static func withoutNumber(_ name: String) -> (name: String, number: String) {
        guard let match = name.firstMatch(of: /^(.+)(\([0-9]{1,4}\))(\.[^.()]*)?$/) else { return (name, "") }
        return (String(match.1) + String(match.3 ?? ""), String(match.2))
    }

    private static func withNumber(_ photo: String, _ number: String) -> String {
        guard !number.isEmpty, let dot = photo.lastIndex(of: ".") else { return photo + number }
        return photo[..<dot] + number + photo[dot...]
    }
}
