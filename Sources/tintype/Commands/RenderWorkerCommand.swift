import ArgumentParser
import Isolation

/// The process in which the service decodes photos; people have no use for it.
struct RenderWorkerCommand: ParsableCommand {
    static let name = "render-worker"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    func run() {
        RenderWorker.run()
    }
}
