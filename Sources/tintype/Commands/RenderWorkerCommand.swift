import ArgumentParser
import Isolation

/// The process in which the service decodes photos; people have no use for it.
struct RenderWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: RenderMode.workerCommand, shouldDisplay: false)

    func run() {
        RenderWorker.run()
    }
}
