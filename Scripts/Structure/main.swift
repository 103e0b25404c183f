// Compares the sources of a package with its table, Sources/structure.txt. See Scripts/check-structure.

import Foundation

func sources(below folder: String, in root: String) -> [SourceFile] {
    let paths = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String } ?? []
    let kinds = [".swift", ".c", ".h"]
    // The fixture below Tests/Structure breaks every rule.
    return paths.map { "\(folder)/\($0)" }
        .filter { path in kinds.contains { path.hasSuffix($0) } }
        .filter { !$0.contains("/.build/") && !$0.hasPrefix("Tests/Structure/") }
        .sorted().map { SourceFile(path: $0, root: root) }
}

guard CommandLine.arguments.count == 2 else { fail("usage: check DIR") }
let root = CommandLine.arguments[1]
var checker = Checker(Rules(readingFrom: "\(root)/Sources/structure.txt"))

let targets = Dictionary(grouping: sources(below: "Sources", in: root)) { String($0.path.split(separator: "/")[1]) }
let others = ["Tests", "Scripts", "Benchmarks"].flatMap { sources(below: $0, in: root) }
for file in targets.values.joined().sorted(by: { $0.path < $1.path }) + others { checker.checkSizes(file) }
for (target, files) in targets.sorted(by: { $0.key < $1.key }) {
    let files = files.filter { $0.path.hasSuffix(".swift") }
    if !files.isEmpty { checker.checkTarget(target, at: "Sources/\(target)", files) }
}
checker.checkExtensions(targets.values.joined().sorted { $0.path < $1.path })
checker.checkRules()
for complaint in checker.complaints { print(complaint) }
exit(checker.complaints.isEmpty ? 0 : 1)
