/// The names of files that are ignored: those that desktop systems, synchronisers and copying programs leave in
/// folders, unfinished files, and files that photo programs keep beside photos (`.xmp` files are read, but never
/// moved).
enum IgnoredFiles {
    private static let names = [
        "Thumbs.db", "ehthumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "lost+found",
    ].map { Array($0.utf8) }
    private static let unfinished = [
        ".part", ".partial", ".tmp", ".crdownload", ".opdownload", ".download", ".filepart", ".uploading",
        ".incomplete",
    ]
    private static let suffixes = (unfinished + ["~", ".aae", ".AAE", ".xmp", ".XMP"]).map { Array($0.utf8) }

    /// Whether a file is an unfinished copy of one of some others: its name contains the other's, and is hidden
    /// or has a typical ending.
    static func isUnfinished(_ name: String, of others: [String]) -> Bool {
        guard name.hasPrefix(".") || unfinished.contains(where: name.hasSuffix) else { return false }
        return others.contains(where: name.contains)
    }

    static func contains(_ name: String) -> Bool {
        contains(Array(name.utf8))
    }

    static func contains(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        name.first == UInt8(ascii: ".") || names.contains { $0.elementsEqual(name) }
            || suffixes.contains { $0.reversed().elementsEqual(name.suffix($0.count).reversed()) }
    }
}
