import API
import Server
import TreeModel

/// The scripts of the gallery in one language, joined into few files, because a slow network needs seconds for each.
struct GalleryScripts {
    /// The modules of each file, in the order in which pages need the files.
    let parts: [(file: String, modules: [SourceModule])]

    /// The modules with which the parts begin: the first view, then the tools in the head of the page and the live
    /// updates of lists. The last part contains all others.
    private static let starts: [(names: [String], texts: String)] = [
        (["app.js", "tile.js", "post-card.js"], "texts"),
        (["tools.js", "feed-live.js", "feed-places.js", "feed-source.js", "follows.js"], "late-texts"),
    ]

    /// - Parameter modules: All modules; those that no other module imports are in no part.
    init(_ language: PageLanguage, _ modules: [String: SourceModule]) {
        func file(_ part: String) -> String { "gallery\(part).\(language.rawValue).js" }
        var closure = Closure(modules: modules)
        var parts: [(file: String, modules: [SourceModule])] = []
        for (part, start) in zip(["", "-tools"], Self.starts) {
            parts.append((file(part), closure.take(start.names + ["\(start.texts).\(language.rawValue).js"])))
        }
        parts.append((file("-rest"), closure.takeRest()))
        self.parts = parts
    }

    /// The scripts of each language.
    static let all: [GalleryScripts] = {
        let modules = PageFiles.all.filter { $0.name.hasSuffix(".js") }.compactMap { SourceModule($0.name, $0.bytes) }
        return PageTexts.all.values.map { texts in
            let all = modules + texts.modules.compactMap { SourceModule($0.key, $0.value) }
            return GalleryScripts(
                texts.language, Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { $1 }))
        }
    }()

    /// The files, by their names.
    var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for (index, part) in parts.enumerated() {
            let begin =
                index == 0
                ? String(decoding: PackageResources.modules_js, as: UTF8.self) + laterFiles
                : "import { defineModule, loadModule } from \"./\(parts[0].file)\";\n"
            let end = index == 0 ? "loadModule(\"app.js\");\n" : ""
            files[part.file] = Array((begin + part.modules.map(\.definition).joined() + end).utf8)
        }
        return files
    }

    /// The list by which `modules.js` finds the files after the first one.
    private var laterFiles: String {
        let files = parts.dropFirst().map { part in
            var members: [String: JSONValue] = ["file": .string("./\(part.file)")]
            if part.file != parts.last?.file { members["names"] = .list(part.modules.map { .string($0.name) }) }
            return JSONValue.object(members)
        }
        return "const laterFiles = \(String(decoding: JSONValue.list(files).json(), as: UTF8.self));\n"
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
