package agent

import "context"

// takeSteering records what the person has said since, behind the results of a
// round: the next request tells the model of it.
func (a *Agent) takeSteering(ctx context.Context) error {
	if a.Steer == nil {
		return nil
	}
	said := a.Steer()
	if len(said) == 0 {
		return nil
	}
	if _, err := a.Recorder.Record(ctx, said...); err != nil {
		return closed(err)
	}
	return nil
}
