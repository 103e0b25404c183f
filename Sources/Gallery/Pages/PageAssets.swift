/// The files of the pages, ready to be sent, by their names.
enum PageAssets {
    /// All files, compressed once.
    static let all: [String: Asset] = {
        var files = PageFiles.served
        for texts in PageTexts.all.values { files.merge(texts.modules) { $1 } }
        for scripts in GalleryScripts.all { files.merge(scripts.files) { $1 } }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.key, Asset($0.key, $0.value)) })
    }()

    /// Returns the path of a file, with its version: a browser that has this version does not ask for it again.
    static func path(of name: String) -> String {
        all[name].map { "/page/\(name)?v=\($0.version)" } ?? "/page/\(name)"
    }
}
