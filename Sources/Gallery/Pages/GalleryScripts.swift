import Access
import Server
import TreeModel

/// The scripts of the gallery in one language, joined into few files, because a slow network needs seconds for each.
struct GalleryScripts {
    /// The modules of each file, in the order in which pages need the files.
    let parts: [Part]

    struct Part {
        let file: String
        let modules: [SourceModule]

        fileprivate var definitions: String { modules.map(\.definition).joined() }
    }

    /// The modules with which the parts begin: the first view, with the session that a member's requests need; then the
    /// tools in the head of the page and the live updates of lists; then the form for signing in. The last part contains
    /// all others.
    private static let starts: [(part: String, names: [String], texts: String?)] = [
        ("", ["app.js", "tile.js", "post-card.js", "session.js"], "texts"),
        ("-tools", ["tools.js", "feed-live.js", "feed-places.js"], "late-texts"),
        ("-account", ["account-dialog.js"], nil),
    ]

    /// - Parameter modules: All modules; those that no other module imports are in no part.
    init(_ language: PageLanguage, _ modules: [String: SourceModule]) {
        func file(_ part: String) -> String { "gallery\(part).\(language.rawValue).js" }
        var closure = Closure(modules: modules)
        var parts: [Part] = []
        for start in Self.starts {
            let texts = start.texts.map { "\($0).\(language.rawValue).js" }
            let names = start.names + [texts].compactMap(\.self)
            parts.append(Part(file: file(start.part), modules: closure.take(names)))
        }
        parts.append(Part(file: file("-rest"), modules: closure.takeRest()))
        self.parts = parts
    }

    /// The scripts of each language.
    static let all: [GalleryScripts] = {
        let modules = PageFiles.served.filter { $0.key.hasSuffix(".js") }.compactMap { SourceModule($0.key, $0.value) }
        return PageTexts.all.values.map { texts in
            let all = modules + texts.modules.compactMap { SourceModule($0.key, $0.value) }
            return GalleryScripts(
                texts.language, Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 }))
        }
    }()

    /// The files, by their names.
    var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        // Browsers keep each file by the version in its address: only the first one names others, and none names it.
        for part in parts.dropFirst() {
            files[part.file] = Array("export default (defineModule, loadModule) => {\n\(part.definitions)};\n".utf8)
        }
        let loader = String(decoding: PageFiles["modules.js"], as: UTF8.self)
        guard let first = parts.first else { return files }
        let list = laterFiles(files)
        files[first.file] = Array("\(loader)\(list)\(first.definitions)loadModule(\"app.js\");\n".utf8)
        return files
    }

    /// Returns the list by which `modules.js` finds the files after the first one.
    private func laterFiles(_ files: [String: [UInt8]]) -> String {
        let list = parts.dropFirst().map { part in
            let version = Asset.version(part.file, files[part.file] ?? [])
            var members: [String: JSONValue] = ["file": .string("./\(part.file)?v=\(version)")]
            if part.file != parts.last?.file { members["names"] = .list(part.modules.map { .string($0.name) }) }
            return JSONValue.object(members)
        }
        return "const laterFiles = \(String(decoding: JSONValue.list(list).text, as: UTF8.self));\n"
    }

    /// The modules that others import, each contained once.
    private struct Closure {
        let modules: [String: SourceModule]
        private var taken: [String] = []
        private var isTaken: Set<String> = []

        init(modules: [String: SourceModule]) { self.modules = modules }

        /// Takes modules, and all that they import statically.
        mutating func take(_ names: [String]) -> [SourceModule] {
            let start = taken.count
            names.forEach { add($0) }
            return taken[start...].compactMap { modules[$0] }
        }

        /// Takes the modules that the taken ones import dynamically, and the imports of these.
        mutating func takeRest() -> [SourceModule] {
            var rest: [SourceModule] = []
            var index = 0
            while index < taken.count {
                rest += take(modules[taken[index]]?.laterImports ?? [])
                index += 1
            }
            return rest
        }

        private mutating func add(_ name: String) {
            guard let module = modules[name], isTaken.insert(name).inserted else { return }
            module.imports.forEach { add($0) }
            taken.append(name)
        }
    }
}
