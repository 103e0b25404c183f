import Foundation
package import Isolation

/// The worker whose behaviour photos choose.
package enum Rogue {
    package static let program = WorkerProgram(path: path, arguments: [])

    /// Returns a photo that requests a behaviour.
    package static func photo(_ behaviour: String) -> [UInt8] { [0xFF, 0xD8, 0xFF] + Array("rogue:\(behaviour)".utf8) }

    private static var path: String {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return own.deletingLastPathComponent().appendingPathComponent("RogueWorker").path
    }
}
