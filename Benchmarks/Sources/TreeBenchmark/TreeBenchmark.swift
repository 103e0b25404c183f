import Tree

/// Measures the tree on this machine: durable writes, post commits, reads, and PostgreSQL as a peer.
///
///     swift run -c release --package-path Benchmarks TreeBenchmark [--seconds 5] [--folder /tmp] [writes|posts|reads|postgres]
@main
struct TreeBenchmark {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            for measurement in options.measurements {
                try await withTemporaryFolder(in: options.folder) { folder in
                    try await measurement.run(in: folder, seconds: options.seconds)
                }
            }
        } catch {
            fail("\(error)")
        }
    }
}
