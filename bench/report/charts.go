package report

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// series holds the bars of one color, one per group.
type series struct {
	name   string
	values plotter.Values
}

// The sizes of a chart.
const (
	groupWidth = vg.Length(84)
	height     = vg.Length(300)
	margin     = vg.Length(8)
	keyHeight  = vg.Length(24) // height of the legend
	keyWidth   = vg.Length(160)
)

// chart draws groups of bars into an SVG file, with the legend below them.
func chart(path, title, axis string, groups []string, bars []series) error {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text, p.Y.Min = title, axis, 0
	p.Title.Padding = vg.Points(8)
	p.NominalX(groups...)
	p.X.Min, p.X.Max = -0.6, float64(len(groups))-0.4
	var keys []plot.Legend
	width := vg.Points(52 / float64(len(bars)))
	for i, s := range bars {
		b, err := plotter.NewBarChart(s.values, width)
		if err != nil {
			return err
		}
		b.Color, b.LineStyle.Width = plotutil.Color(i), 0
		b.Offset = width * vg.Length(float64(i)-float64(len(bars)-1)/2)
		p.Add(b)
		p.Y.Max = max(p.Y.Max, 1.1*slices.Max(s.values))
		key := plot.NewLegend()
		key.Left = true
		key.Add(s.name, b)
		keys = append(keys, key)
	}
	if len(keys) == 1 {
		keys = nil // the title identifies the only series
	}
	return save(path, p, groupWidth*vg.Length(len(groups))+80, keys)
}

// save draws p above its legend.
func save(path string, p *plot.Plot, width vg.Length, keys []plot.Legend) error {
	canvas := vgsvg.New(width, height)
	all := draw.New(canvas)
	all.SetColor(color.White) // for pages in dark mode
	all.Fill(all.Path())
	below := margin
	if len(keys) > 0 {
		below += keyHeight
	}
	p.Draw(draw.Crop(all, margin, -margin, below, -margin))
	for i, key := range keys {
		left := 60 + keyWidth*vg.Length(i)
		key.Draw(draw.Crop(all, left, left+keyWidth-width, margin, keyHeight-height))
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(file); err != nil {
		return err
	}
	return file.Close()
}

// draw writes the charts into a folder.
func (r *Report) draw(folder string) error {
	if err := r.drawCalls(filepath.Join(folder, "benchmarks-calls.svg")); err != nil {
		return err
	}
	return r.drawStart(filepath.Join(folder, "benchmarks-start.svg"))
}

func (r *Report) drawCalls(path string) error {
	var groups []string
	shown := []string{Direct, Relay, Aggregator1, Aggregator12}
	bars := make([]series, len(shown))
	for _, l := range r.loads() {
		groups = append(groups, l.bytes()+" of "+l.Payload+",\n"+flight(l))
		for i, name := range shown {
			bars[i].name = name
			bars[i].values = append(bars[i].values, r.call(l, name).PerCall.Over(r.call(l, Relay).PerCall).Value)
		}
	}
	return chart(path, "Time per call, against a bare relay of bytes", "times the relay's", groups, bars)
}

func flight(l Load) string {
	if l.Flight == 1 {
		return "one at a time"
	}
	return fmt.Sprint(l.Flight, " at once")
}

func (r *Report) drawStart(path string) error {
	groups := []string{"an empty\nprogram", "initialize", "tools of\n1 child", "tools of\n12 children", "tools of\n50 children"}
	s := r.Start
	values := plotter.Values{s.Empty.Median(), s.Initialized.Median(), s.One.Median(), s.Twelve.Median(), s.Fifty.Median()}
	return chart(path, "From exec to an answer", "ms", groups, []series{{"median", values}})
}
