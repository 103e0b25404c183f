import Imaging
import Isolation

RenderWorker.run()
