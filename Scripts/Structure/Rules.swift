import Foundation

/// The rules of a package, read from its table.
struct Rules {
    /// A permitted violation of a rule, such as `type Pipeline.UploadPipeline`.
    struct Exception: Hashable {
        /// The rule: file, function, type, import, folder, circle or extensions.
        let kind: String
        let subject: String
    }

    static let fileLines = "lines of a file"
    static let functionLines = "lines of a function"
    static let typeFunctions = "functions of a type"
    static let circleFiles = "files of a circle"
    static let extensionMembers = "members that extensions in all targets add to a type"
    private static let limitNames = [fileLines, functionLines, typeFunctions, circleFiles, extensionMembers]

    private(set) var limits: [String: Int] = [:]
    /// The modules that each target, or a folder with its own row, may import; "*" lists the modules that all may
    /// import.
    private(set) var imports: [String: Set<String>] = [:]
    /// The folders that each folder of a target may use; keyed by the path of the target.
    private(set) var folders: [String: [String: Set<String>]] = [:]
    /// Complaints about rows that allow a row below them. While all rows refer upward, there are no cycles.
    private(set) var disorder: [String] = []
    /// The largest size that each exception allows; nil if it has no limit.
    private(set) var exceptions: [Exception: Int?] = [:]

    /// The rows of each section, in order.
    private var rows: [String: [(name: String, words: [String])]] = [:]

    /// Reads a table; ends the process if it is malformed.
    init(readingFrom path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { fail("\(path) cannot be read") }
        var section = ""
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if !add(line, to: section) {
                fail("\(path):\(number + 1): this line is not valid in [\(section)]: \(line)")
            }
        }
        noteDisorder()
        for limit in Self.limitNames where limits[limit] == nil {
            fail("\(path) lacks the limit \"\(limit)\"")
        }
    }

    private mutating func noteDisorder() {
        for (section, rows) in rows.sorted(by: { $0.key < $1.key }) {
            for (index, row) in rows.enumerated() {
                for word in row.words where rows[index...].contains(where: { $0.name == word }) {
                    disorder.append("[\(section)] allows \(row.name) to use \(word), which is not listed above it")
                }
            }
        }
    }

    private mutating func add(_ line: String, to section: String) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        let words = parts.count > 1 ? parts[1].split(separator: " ").map(String.init) : []
        switch section.split(separator: " ").first {
        case "limits":
            guard let limit = words.first.flatMap({ Int($0) }) else { return false }
            limits[parts[0]] = limit
        case "targets":
            imports[parts[0]] = Set(words)
            rows[section, default: []].append((parts[0], words))
        case "folders":
            folders[String(section.dropFirst("folders ".count)), default: [:]][parts[0]] = Set(words)
            rows[section, default: []].append((parts[0], words))
        case "exceptions":
            var subject = parts[0].split(separator: " ").map(String.init)
            // Each exception needs a reason.
            guard subject.count > 1, !words.isEmpty else { return false }
            let kind = subject.removeFirst()
            let size = subject.last.flatMap { Int($0) }
            if size != nil { subject.removeLast() }
            exceptions[Exception(kind: kind, subject: subject.joined(separator: " "))] = .some(size)
        default: return false
        }
        return true
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("check-structure: \(message)\n".utf8))
    exit(2)
}
