/// A module of the gallery as it is written, which can be joined with others in one file.
///
/// Its imports and exports are statements of one line each: `import` of a file beside it, and `export` of a declaration
/// of one name, of names in braces, or of a default that is an expression.
struct SourceModule {
    let name: String
    /// The modules that it imports statically.
    private(set) var imports: [String] = []
    /// The modules that it imports dynamically.
    private(set) var laterImports: [String] = []
    /// The parameters that receive the exports of the imported modules.
    private var parameters: [String] = []
    /// The properties of the object that it exports.
    private var exports: [String] = []
    private var body = ""

    /// Reads a module; nil if it has another form.
    init?(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        let text = String(decoding: SourceText(bytes).compact, as: UTF8.self)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("import ") {
                guard readImport(line) else { return nil }
            } else if line.hasPrefix("export ") {
                guard readExport(line.dropFirst("export ".count)) else { return nil }
            } else {
                append(line)
            }
        }
    }

    /// The module as a statement that defines it: see `modules.js`.
    var definition: String {
        let names = imports.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            defineModule("\(name)",[\(names)],async (\(parameters.joined(separator: ","))) => {
            \(body)return {\(exports.joined(separator: ","))};
            });

            """
    }

    private mutating func append(_ line: Substring) {
        let parts = line.split(separator: "import(", omittingEmptySubsequences: false)
        for part in parts.dropFirst() where part.hasPrefix("\"./") {
            laterImports.append(String(part.dropFirst(3).prefix { $0 != "\"" }))
        }
        body += parts.joined(separator: "loadModule(") + "\n"
    }

    private mutating func readImport(_ line: Substring) -> Bool {
        let parts = line.dropFirst("import ".count).split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("./"), parts[2].hasPrefix(";") else { return false }
        let clause = parts[0].hasSuffix(" from ") ? parts[0].dropLast(" from ".count) : parts[0]
        if clause.isEmpty {
            parameters.append("{}")
        } else if clause.hasPrefix("* as ") {
            parameters.append(String(clause.dropFirst("* as ".count)))
        } else if clause.hasPrefix("{"), clause.hasSuffix("}") {
            parameters.append(clause.split(separator: " as ").joined(separator: ":"))
        } else {
            return false
        }
        imports.append(String(parts[1].dropFirst(2)))
        return true
    }

    /// - Parameter declaration: What follows `export`.
    private mutating func readExport(_ declaration: Substring) -> Bool {
        if declaration.hasPrefix("default ") {
            exports.append("default:whole")
            append("const whole = " + declaration.dropFirst("default ".count))
            return true
        }
        if declaration.hasPrefix("{"), declaration.hasSuffix("};") {
            exports.append(String(declaration.dropFirst().dropLast(2)))
            return true
        }
        let words = declaration.split { !$0.isLetter && !$0.isNumber && !"_${}[".contains($0) }
        let keywords = words.prefix { ["const", "function", "async", "class"].contains($0) }
        guard !keywords.isEmpty, let name = words.dropFirst(keywords.count).first,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
        else { return false }
        exports.append(String(name))
        append(declaration)
        return true
    }
}
