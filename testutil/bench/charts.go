package main

import (
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// series are the bars of one colour, one for each group.
type series struct {
	name   string
	values plotter.Values
}

// chart draws groups of bars into an SVG file.
func chart(path, title, axis string, groups []string, bars []series) error {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text, p.Y.Min = title, axis, 0
	p.Legend.Top = true
	p.NominalX(groups...)
	p.X.Min, p.X.Max = -0.6, float64(len(groups))-0.4
	width := vg.Points(60 / float64(len(bars)))
	for i, s := range bars {
		b, err := plotter.NewBarChart(s.values, width)
		if err != nil {
			return err
		}
		b.Color, b.LineStyle.Width = plotutil.Color(i), 0
		b.Offset = width * vg.Length(float64(i)-float64(len(bars)-1)/2)
		p.Add(b)
		p.Y.Max = max(p.Y.Max, 1.4*slices.Max(s.values)) // room for the legend
		if len(bars) > 1 {
			p.Legend.Add(s.name+"      ", b)
		}
	}
	return p.Save(vg.Points(float64(120*len(groups)+80)), vg.Points(300), path)
}

// draw writes the charts into a folder.
func (r *report) draw(folder string) error {
	if err := r.drawCalls(filepath.Join(folder, "benchmarks-calls.svg")); err != nil {
		return err
	}
	return r.drawStart(filepath.Join(folder, "benchmarks-start.svg"))
}

func (r *report) drawCalls(path string) error {
	var groups []string
	shown := []string{direct, bareRelay, aggregator1, aggregator12}
	bars := make([]series, len(shown))
	for _, l := range loads {
		groups = append(groups, l.String())
		for i, name := range shown {
			bars[i].name = name
			bars[i].values = append(bars[i].values, r.calls[l][name].against(r.calls[l][bareRelay]))
		}
	}
	return chart(path, "Time per call, against a bare relay of bytes", "times the relay's", groups, bars)
}

func (r *report) drawStart(path string) error {
	groups := []string{"an empty program", "initialize", "tools of 1 child", "of 12", "of 50"}
	values := plotter.Values{r.Start.Empty, r.Start.Initialized}
	for _, name := range startCases {
		values = append(values, r.Start.Complete[name])
	}
	return chart(path, "From exec to an answer", "ms", groups, []series{{"median", values}})
}
