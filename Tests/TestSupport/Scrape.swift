/// A text of metrics, parsed strictly by the format of Prometheus (version 0.0.4): deviations that scrapers tolerate are
/// errors.
package struct Scrape {
    package struct Sample: Hashable {
        package let name: String
        package let labels: [String: String]
        package let value: Double
    }

    package struct Family {
        package let help: String
        package var type = ""
        package var samples: [Sample] = []

        /// The names of the samples' labels, except for that of buckets.
        package var labelNames: Set<String> { Set(samples.flatMap(\.labels.keys)).subtracting(["le"]) }
    }

    /// A description of a line that breaks the format.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    package private(set) var families: [String: Family] = [:]

    /// - Throws: ``Problem``.
    package init(_ text: String) throws {
        guard text.last == "\n" else { throw Problem(description: "the last line does not end") }
        var present: String?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            do throws(Problem) {
                if line.hasPrefix("# HELP ") {
                    present = try begin(line.dropFirst(7))
                } else if line.hasPrefix("# TYPE ") {
                    try add(type: line.dropFirst(7), of: present)
                } else {
                    try add(Self.sample(line), to: present)
                }
            } catch {
                throw Problem(description: "\(error.description): \(line)")
            }
        }
        for (name, family) in families { try Self.check(name, family) }
    }

    /// The samples of a name that have these labels, among others.
    package func samples(_ name: String, _ labels: [String: String] = [:]) -> [Sample] {
        families.values.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
    }

    /// The sum of the samples of a name that have these labels; 0 when there are none.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double {
        samples(name, labels).reduce(0) { $0 + $1.value }
    }

    // MARK: Lines

    private mutating func begin(_ line: Substring) throws(Problem) -> String {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, Self.isName(words[0]), !words[1].isEmpty else { throw Problem(description: "bad help") }
        let name = String(words[0])
        guard families[name] == nil else { throw Problem(description: "a second help") }
        families[name] = Family(help: String(words[1]))
        return name
    }

    private mutating func add(type line: Substring, of present: String?) throws(Problem) {
        let words = line.split(separator: " ")
        guard words.count == 2, let present, words[0] == present, families[present]?.type == "" else {
            throw Problem(description: "a type that is not below its help")
        }
        guard ["counter", "gauge", "histogram"].contains(words[1]) else { throw Problem(description: "unknown type") }
        families[present]?.type = String(words[1])
    }

    private mutating func add(_ sample: Sample, to present: String?) throws(Problem) {
        guard let present, let family = families[present], !family.type.isEmpty else {
            throw Problem(description: "a sample without a metric")
        }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { sample.name == present + $0 }) else {
            throw Problem(description: "a sample of another metric")
        }
        guard !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
            throw Problem(description: "a repeated series")
        }
        families[present]?.samples.append(sample)
    }

    private static func sample(_ line: Substring) throws(Problem) -> Sample {
        let name = line.prefix { $0 != "{" && $0 != " " }
        guard isName(name) else { throw Problem(description: "bad name") }
        var rest = line.dropFirst(name.count)
        let labels = rest.first == "{" ? try Self.labels(&rest) : [:]
        guard rest.first == " ", let value = number(rest.dropFirst()) else { throw Problem(description: "bad number") }
        return Sample(name: String(name), labels: labels, value: value)
    }

    /// Reads labels, up to the brace behind them.
    private static func labels(_ rest: inout Substring) throws(Problem) -> [String: String] {
        var labels: [String: String] = [:]
        repeat {
            rest = rest.dropFirst()  // The brace or a comma.
            let name = rest.prefix { $0 != "=" }
            rest = rest.dropFirst(name.count)
            guard isName(name), rest.hasPrefix("=\"") else { throw Problem(description: "bad label") }
            rest = rest.dropFirst(2)
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                switch rest.popFirst() {
                case "n": value.append("\n")
                case "\\": value.append("\\")
                case "\"": value.append("\"")
                default: throw Problem(description: "an unknown escape")
                }
            }
            guard labels.updateValue(value, forKey: String(name)) == nil else {
                throw Problem(description: "a repeated label")
            }
        } while rest.first == ","
        guard rest.popFirst() == "}" else { throw Problem(description: "labels without an end") }
        return labels
    }

    private static func number(_ text: Substring) -> Double? {
        text == "+Inf" ? .infinity : text.first?.isNumber == true || text.first == "-" ? Double(text) : nil
    }

    private static func isName(_ text: Substring) -> Bool {
        text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
    }

    // MARK: Metrics

    private static func check(_ name: String, _ family: Family) throws {
        guard !family.type.isEmpty else { throw Problem(description: "\(name) has no type") }
        if family.type == "counter", family.samples.contains(where: { !($0.value >= 0) }) {
            throw Problem(description: "\(name) counts below 0")
        }
        guard family.type == "histogram" else { return }
        let series = Dictionary(grouping: family.samples) { sample in sample.labels.filter { $0.key != "le" } }
        for (labels, samples) in series {
            let buckets = samples.filter { $0.name == "\(name)_bucket" }
            let bounds = buckets.map { number(Substring($0.labels["le"] ?? "")) ?? .nan }
            let counts = buckets.map(\.value)
            let total = samples.first { $0.name == "\(name)_count" }?.value
            guard samples.count == buckets.count + 2, samples.contains(where: { $0.name == "\(name)_sum" }),
                zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }), bounds.last == .infinity,
                zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }), counts.last == total
            else { throw Problem(description: "\(name) \(labels) is not a histogram") }
        }
    }
}
